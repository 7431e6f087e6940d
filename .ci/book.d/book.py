"""Keeps a book by double entry from the journals of clinics, for beancount to judge.

Each receipt becomes a transaction, whose day, holder and amount are those of its journal entry and invoice, not those
that the receipt says. What the service reported as taken becomes a balance that the book must have the next morning.
"""

import collections
import datetime
import json
import pathlib
import re
import sys


def account(clinic, holder, method):
    return f"Assets:Clinic{clinic}:Of-{re.sub('[^A-Za-z0-9]', '-', holder)}:{method.title()}"


def written(journal, clinic, minutes, used):
    """Yields the transactions of a journal."""
    invoices, receipts, holds = {}, {}, {}
    offset = datetime.timedelta(minutes=minutes)
    for line in journal.read_text().splitlines():
        entry = json.loads(line)
        puts = [change for change in entry["changes"] if change["change"] == "put"]
        invoices |= {change["value"]["invoiceId"]: change["value"] for change in puts if change["record"] == "Invoice"}
        for receipt in (change["value"] for change in puts if change["record"] == "Receipt"):
            origin = receipts.get(receipt.get("corrects"), receipt)
            receipts[receipt["receiptId"]] = receipt
            sign, before = -1 if origin["kind"] == "refund" else 1, holds.get(origin["receiptId"])
            holds[origin["receiptId"]] = receipt["method"]
            invoice = invoices[receipt["invoiceId"]]
            if "price" not in invoice:
                continue
            day = (datetime.datetime.fromisoformat(entry["at"]) + offset).date()
            amount, currency = sign * invoice["price"], invoice.get("currency", "NONE")
            target = account(clinic, entry["actor"], receipt["method"])
            source = account(clinic, entry["actor"], before) if before else f"Income:Clinic{clinic}"
            used |= {target, source}
            yield f'{day} * "{receipt["kind"]}"\n  {target}  {amount} {currency}\n  {source}  {-amount} {currency}\n'


def reported(lines, clinic, used):
    """Yields the balances that follow from what was reported, each for the morning after."""
    sums, balances = collections.Counter(), {}
    for line in lines:
        taken = json.loads(line)
        day = datetime.datetime.strptime(taken["day"], "%d/%m/%Y").date() + datetime.timedelta(days=1)
        for total in taken["totals"]:
            target = account(clinic, taken["holder"], total["method"])
            sums[target, total.get("currency", "NONE")] += total["net"]
            used.add(target)
        # The last line of a day has the sums of all holders.
        balances |= {(day, *of): sums[of] for of in list(sums)}
    yield from (f"{day} balance {name}  {sum} {money}\n" for (day, name, money), sum in balances.items())


folder, used, lines = pathlib.Path(sys.argv[1]), set(), []
for journal in sorted(folder.glob("*.journal")):
    first, *days = journal.with_suffix(".takings").read_text().splitlines()
    lines += written(journal, journal.stem, json.loads(first)["offset"], used)
    lines += reported(days, journal.stem, used)
print("\n".join([f"1970-01-01 open {name}" for name in sorted(used)] + lines))
