#!/usr/bin/env python3
"""Runs the stories of tests/cli: commands and their exact output, as a reader would see them.

    A story is prose, at the left margin. Commands and what they print are indented by two spaces:

      $ nameplate --version
      nameplate 0.1.0

Everything after a "$" line up to the next one or the next prose is its output, standard error included. A line "..."
stands for any number of lines, and "[exit 2]" ends the output of a command that exits with 2 instead of 0. Commands
run in bash, in the repository's root, with NO_COLOR set, `nameplate` on the path and an empty folder in $TMP.

    cli_test.py [--update] STORY…      --update writes what the commands printed into the stories
"""

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release"
INDENT = "  "


def split_story(text):
    """The story as a list of prose lines (str) and [command, expected lines] pairs (list), in order."""
    parts = []
    for line in text.splitlines():
        in_command = parts and isinstance(parts[-1], list)
        if line.startswith(INDENT + "$ "):
            parts.append([line[len(INDENT) + 2 :], []])
        elif in_command and (line.startswith(INDENT) or not line):
            parts[-1][1].append(line[len(INDENT) :])
        else:
            parts.append(line)
    return parts


def strip_blank_end(lines):
    """`lines` without the empty ones at the end: they belong to the layout of the story."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def run(command, folder):
    """What the command prints, as lines without spaces at their ends, then "[exit N]" unless N is 0."""
    environment = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", TMP=folder, PATH=f"{PROGRAM}:{os.environ['PATH']}")
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, timeout=120, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    lines = strip_blank_end([line.rstrip() for line in done.stdout.decode(errors="replace").splitlines()])
    return lines + ([f"[exit {done.returncode}]"] if done.returncode else [])


def matches(expected, actual):
    """Whether `actual` is what `expected` says, where a line "..." stands for any number of lines."""
    reachable = {0}  # how many lines of `actual` the expected lines so far can have used up
    for line in expected:
        if line == "...":
            reachable = set(range(min(reachable), len(actual) + 1)) if reachable else set()
        else:
            reachable = {used + 1 for used in reachable if used < len(actual) and actual[used] == line}
    return len(actual) in reachable


def check(path, update):
    """Runs one story; returns whether every command printed what the story says."""
    parts = split_story(path.read_text())
    written, good = [], True
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            if isinstance(part, str):
                written.append(part)
                continue
            command, expected = part
            blank_end = len(expected) - len(strip_blank_end(expected))
            expected, actual = strip_blank_end(expected), run(command, folder)
            if not matches(expected, actual):
                good = False
                if not update:
                    print(f"{path}: $ {command}")
                    print(*difflib.unified_diff(expected, actual, "story", "now", lineterm=""), sep="\n")
                expected = actual
            written.append(f"{INDENT}$ {command}")
            written += [(INDENT + line).rstrip() for line in expected] + [""] * blank_end
    if update and not good:
        path.write_text("\n".join(written) + "\n")
    return good or update


def main(arguments):
    update = "--update" in arguments
    failures = 0
    for path in (pathlib.Path(a) for a in arguments if a != "--update"):
        good = check(path, update)
        failures += not good
        print("ok" if good else "FAILED", path)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
