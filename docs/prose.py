"""List banned words in docstrings, comments, screen texts, test names and Markdown files.

Run: python docs/prose.py [--count] [paths]. Prints file:line: word: text and exits with 1 if there are findings;
`--count` prints the total of each folder. Without paths it checks the files of the repository.
"""

import ast
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

MAX_FIRST_LINE, MAX_TEST_NAME = 90, 60
BANNED = re.compile(
    r"\b(said|told|tells?|says|hears?|heard|nobody|somebody|anybody|everybody|who(?:m|se)?ever|visit(?:s|ed|ing|ors?)?"
    r"|lanes?|for ever|by then|so (?:many|few|long)|lets? go|in (?:force|use|production)|wish(?:es|ed)?|drivers?)"
    r"\b(?!\()",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"(?:what|who|where|whose)\b", re.IGNORECASE)
OLD_LIMIT = re.compile(r"_?(?:MOST|LARGEST|LONGEST)_")
# Text that may hold banned words: code, quotations, addresses, and other meanings of these words.
ALLOWED = re.compile(
    r"`[^`]*`|\"[^\"\n]+\"|“[^”]+”|https?://\S+|st\.write|(?:port|address|name) (?:is )?(?:already )?in use"
    r"|is in use;|(?:database|graphics|browser) drivers?|status [Ii]n production"
)
Finding = tuple[int, str, str]


def main() -> int:
    """Print the findings, or with `--count` their number in each folder; return the exit code."""
    paths = [Path(argument) for argument in sys.argv[1:] if argument != "--count"]
    if not paths:
        listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout
        paths = [path for name in listed.splitlines() if (path := Path(name)).is_file()]
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    # This file lists the banned words.
    files = [file for file in files if file.suffix in {".py", ".md"} and file.resolve() != Path(__file__).resolve()]
    found = [(file, *one) for file in files for one in sorted(findings(file))]
    if "--count" in sys.argv:
        counts = Counter(str(file.parent) for file, *_ in found)
        print("".join(f"{count:6,} {folder}\n" for folder, count in sorted(counts.items())) + f"{len(found):6,} total")
    else:
        print("".join(f"{file}:{line}: {word}: {text.strip()}\n" for file, line, word, text in found), end="")
    return int(bool(found))


def findings(file: Path) -> Iterator[Finding]:
    """List the findings of a file: line, word, text."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        yield from in_text(1, re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text, flags=re.M | re.S))
        return
    with file.open("rb") as source:
        for token in tokenize.tokenize(source.readline):
            if token.type == tokenize.COMMENT:
                yield from in_text(token.start[0], token.string)
    for node in ast.walk(ast.parse(text)):
        yield from in_node(node)


def in_text(line: int, text: str) -> Iterator[Finding]:
    """List the banned words of a text that starts on this line."""
    for number, part in enumerate(ALLOWED.sub(" ", text).splitlines(), line):
        yield from ((number, found[0].lower(), part) for found in BANNED.finditer(part))


def in_node(node: ast.AST) -> Iterator[Finding]:
    """List the findings in strings with a space, docstrings, test names and names of limits."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
        yield from in_text(node.lineno, node.value)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and OLD_LIMIT.match(node.id):
        yield node.lineno, "MAX_ is the prefix of limits", node.id
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
        yield from in_text(node.lineno, node.name.replace("_", " "))
        if len(node.name) > MAX_TEST_NAME:
            yield node.lineno, "long test name", node.name
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = (ast.get_docstring(node) or "").partition("\n")[0]
        line = node.body[0].lineno if node.body else 1
        if len(first) > MAX_FIRST_LINE:
            yield line, "long first line", first
        if CLAUSE.match(first):
            yield line, "first line starts with a clause", first


if __name__ == "__main__":
    sys.exit(main())
