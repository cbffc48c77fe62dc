#!/usr/bin/env python3
"""One name, one type: no two headers of nameplate/ define a type of the same name in namespace nameplate.

Two such types would make one program out of two meanings (the one-definition rule), which no compiler reports.
Prints `name: first:line second:line` for each and exits with 1 if there was one.
"""

import pathlib
import re
import sys

TYPE = re.compile(r"(?:struct|class|enum(?: class)?) (\w+)(?: final)?(?: :[^{;]*)?(?: \{|$)")


def defined(text):
    """(name, line) of each type that starts in the first column, where the house style puts namespace scope."""
    for number, line in enumerate(text.splitlines(), 1):
        found = TYPE.match(line)
        if found:
            yield found.group(1), number


def clashes(files):
    """`files`: {path: text}. The sentences to print."""
    homes = {}
    for path, text in sorted(files.items()):
        for name, line in defined(text):
            homes.setdefault(name, []).append(f"{path}:{line}")
    return [f"{name}: {' '.join(places)}" for name, places in sorted(homes.items()) if len(places) > 1]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    files = {str(path.relative_to(root)): path.read_text() for path in root.glob("nameplate/**/*.h")}
    problems = clashes(files)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
