"""Finds the sentences that CONTRIBUTING.md, "English", forbids, as far as a pattern can find them.

Reads the comments of Rust sources, documents, and the texts of the console. Prints `file:line: sentence: rule`.
"""

import re
import subprocess
import sys

# Files of others.
FOREIGN = ("extras/care-console/explorer/", "docs/pictures/")

WORDS = [
    (r"\bany ?more\b", 'say "no longer"'),
    (r"\b[Ss]o (?:long|many|much|often|few)\b", "say how long, or how many"),
    (r"\b(?:[Ww]hoever|[Ww]homever|[Ww]hosoever)\b", "name who it is: the client, the writer, another process"),
    (r"\b(?:[Ss]ome|[Nn]o|[Aa]ny|[Ee]very)body\b", "name who it is: the client, the writer, another process"),
    (r"\b(?:[Ss]ome|[Aa]ny|[Ee]very)one\b(?! of)", "name who it is: the client, the writer, another process"),
]
# A sentence that begins with "What was taken" has a clause where its subject should be. Questions may begin so.
FREE_RELATIVE = re.compile(r"(?:^|(?<=[.!?] ))(?:What|Whatever|Whichever|Who|Whose)\b(?!-)[^.!?]*(?:[.!:]|$)")
# The first word of what describes a function, such as "Returns".
THIRD_PERSON = re.compile(r"[A-Z][a-z]*s(?:,.*|\W)|\[`|`")
NO_VERB = ("As", "Is", "Its", "This", "Whose", "Unless", "Always", "Besides", "Perhaps")
CLAUSE = re.compile(r"(?:What|Who|Whose|Which|How|Why|Where)\b")
FUNCTION = re.compile(r"(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe |default )*fn \w")
END = re.compile(r"(?:[.:!?`)|>\"*]|^\s*[-*].*|^)$")


def files():
    listed = subprocess.run(["git", "ls-files", "*.rs", "*.md", "*.html", "*.js"], capture_output=True, text=True, check=True)
    wanted = tuple(sys.argv[1:])
    for file in listed.stdout.split():
        if wanted:
            if file.startswith(wanted):
                yield file
        elif not file.startswith(FOREIGN):
            yield file


def comments(lines):
    """Yields the comments of a Rust source: (number of the first line, marker, lines, the code line below)."""
    at = 0
    while at < len(lines):
        found = re.match(r"\s*(//[/!]?)(?: |$)", lines[at])
        if not found:
            # A comment behind code, which no string contains.
            behind = re.search(r"[;,{})] // (.*)$", lines[at])
            if behind:
                yield at + 1, "//", [behind.group(1)], ""
            at += 1
            continue
        marker, start, texts = found.group(1), at, []
        while at < len(lines) and re.match(r"\s*" + marker + r"(?: |$)", lines[at]):
            texts.append(re.sub(r"^\s*" + marker + r" ?", "", lines[at]))
            at += 1
        below = at
        while below < len(lines) and re.match(r"\s*#!?\[", lines[below]):
            below += 1
        yield start + 1, marker, texts, lines[below].strip() if below < len(lines) else ""


def paragraphs(first, lines):
    """Yields (number of the first line, text) of each paragraph, without code and headings."""
    code, start, texts = False, first, []
    for number, line in enumerate(lines, first):
        fence = line.lstrip().startswith("```")
        if fence:
            code = not code
        if fence or code or not line.strip() or re.match(r"\s*(#|[-*] |\d+\. |\|)", line):
            if texts:
                yield start, " ".join(texts)
            start, texts = number, []
            if re.match(r"\s*([-*] |\d+\. |\|)", line) and not code:
                texts.append(re.sub(r"^\s*([-*]|\d+\.|\|) ?", "", line).strip())
        else:
            if not texts:
                start = number
            texts.append(line.strip())
    if texts:
        yield start, " ".join(texts)


def plain(text):
    """Returns the text without what it quotes."""
    return re.sub(r"`[^`]*`|\"[^\"]{1,40}\"|\[case: [^\]]*\]", lambda quoted: "`" + "x" * (len(quoted.group()) - 2) + "`", text)


def judge(text):
    for pattern, rule in WORDS:
        for found in re.finditer(pattern, text):
            yield text[max(0, found.start() - 40) : found.end() + 20], rule
    for found in FREE_RELATIVE.finditer(text):
        yield found.group()[:80], "begin with a noun, not with a clause"


def main():
    count = 0

    def tell(file, line, sentence, rule):
        nonlocal count
        count += 1
        print(f"{file}:{line}: {sentence.strip()}: {rule}", file=sys.stderr)

    for file in files():
        with open(file, encoding="utf-8") as source:
            lines = source.read().split("\n")
        if file.endswith(".rs"):
            for first, marker, texts, below in comments(lines):
                for line, text in paragraphs(first, texts):
                    for sentence, rule in judge(plain(text)):
                        tell(file, line, sentence, rule)
                if marker == "//":
                    continue
                if FUNCTION.match(below):
                    word = re.match(r"\w*", texts[0]).group()
                    if not THIRD_PERSON.match(texts[0]) or word in NO_VERB:
                        tell(file, first, texts[0][:60], 'say what the function does: "Returns ..."')
                elif CLAUSE.match(texts[0]):
                    tell(file, first, texts[0][:60], "begin with a noun, not with a clause")
                if not END.search(texts[-1]):
                    tell(file, first, texts[-1][-60:], "end with a full stop: a sentence belongs to one item")
        elif file.endswith(".md"):
            for line, text in paragraphs(1, lines):
                for sentence, rule in judge(plain(text)):
                    tell(file, line, sentence, rule)
        else:
            for line, text in enumerate(lines, 1):
                for pattern, rule in WORDS:
                    if re.search(pattern, text):
                        tell(file, line, text.strip()[:80], rule)
    return 1 if count else 0


sys.exit(main())
