#!/usr/bin/env python3
"""Checks a page written by `nameplate report --html` as its reader meets it: one file, offline, drawn by a browser.

    page_check.py PROGRAM

Exports the page of examples/gpt-cpu with PROGRAM, then holds that it names nothing to fetch, that Chromium lays it out
without an error on its console, and that the headline, a table and a drawn figure are in what Chromium made of it.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What would make a browser fetch something: a link that a person may click is none of it.
FETCHES = re.compile(r"""<link\b(?![^>]*href=["']data:)|<iframe\b|<script[^>]*\bsrc=|<img[^>]*\bsrc=["'](?!data:)|@import|url\((?!['"]?(?:data:|#))""", re.I)


def problems_of_text(page):
    """What in the page's source breaks the promise of one self-contained file."""
    problems = [f"the page would fetch something: {match[0]}" for match in FETCHES.finditer(page)]
    if not re.search(r'<html[^>]*\blang="', page):
        problems.append("the page does not state its language")
    return problems


def problems_of_rendering(path, folder):
    """What Chromium says against the page, and which parts are missing in what it made of it."""
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
         "--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", f"file://{path}"],
        timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    problems = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    for part in ("<h1", "<table", "<svg"):
        if part not in done.stdout:
            problems.append(f"the rendered page has no {part}>")
    return problems


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.html"
        subprocess.run([program, "report", "examples/gpt-cpu", "--html", path], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        problems = problems_of_text(path.read_text()) + problems_of_rendering(path, folder)
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
