"""Verifies captured messages by the Python libraries of Standard Webhooks and of Svix."""

import base64
import json
import sys

import standardwebhooks
import svix.webhooks

LIBRARIES = {
    "standardwebhooks": (standardwebhooks.Webhook, standardwebhooks.WebhookVerificationError),
    "svix": (svix.webhooks.Webhook, svix.webhooks.WebhookVerificationError),
}

count = 0
with open(sys.argv[1], encoding="utf-8") as file:
    messages = [json.loads(line) for line in file]
assert len(messages) > 200
for message in messages:
    headers = {name.lower(): value for name, value in message["headers"].items()}
    body = base64.b64decode(message["body"]).decode()
    for name, (webhook, refusal) in LIBRARIES.items():
        for secret in message["secrets"]:
            verifier = webhook(secret)
            # It raises an error unless the signature is right.
            verifier.verify(body, headers)
            count += 1
            changed = [(body + " ", headers), (body, {**headers, "webhook-id": headers["webhook-id"] + "0"})]
            for wrong in changed:
                try:
                    verifier.verify(*wrong)
                except refusal:
                    continue
                sys.exit(f"{name} takes a message that was changed")
print(f"{len(messages)} messages, {count} times verified in Python")
