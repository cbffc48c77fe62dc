#!/usr/bin/env python3
"""mpi_check.py NAMEPLATE NAMEPLATE_MPI: what nameplate-mpi prints under mpirun is what nameplate prints, byte for byte.

Prints "ok NAME" or "FAILED NAME" for every case. The traces are those of tests/cli, made into ranks.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


def write_ranks(folder, count):
    """A trace for each rank, whose kernels take longer the higher the rank."""
    text = (ROOT / "tests/cli/trace.json").read_text()
    for rank in range(count):
        of_rank = text.replace('"rank":0,"world_size":2', f'"rank":{rank},"world_size":{count}')
        (folder / f"rank{rank}.json").write_text(of_rank.replace('"dur":60,', f'"dur":6{rank},'))


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    return done.returncode, done.stdout, done.stderr


def same(plain, spread):
    """mpirun adds words of its own to standard error when the exit code is not 0."""
    return plain[:2] == spread[:2] and spread[2].startswith(plain[2])


def main():
    plain, spread = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    cases = [
        ("fewer files than processes", 4, ["trace", "rank0.json"]),
        ("more files than processes", 4, ["trace", "."]),
        ("one process", 1, ["trace", "."]),
        ("json", 3, ["trace", ".", "--format", "json"]),
        ("a file that is no trace", 4, ["trace", "rank0.json", "notes.txt", "rank1.json"]),
        ("no trace at all", 4, ["trace", "notes.txt"]),
        ("simulated runs", 3, ["survive", str(ROOT / "examples/survive-llama-3"), "--format", "json"]),
        ("a command that does not spread", 4, ["flops", "llama-2-7b", "--seq", "4096"]),
        ("a wrong flag", 2, ["trace", "--no-such-flag"]),
        ("help", 2, ["trace", "--help"]),
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_ranks(folder, 7)
        (folder / "notes.txt").write_text("no trace\n")
        for case, processes, arguments in cases:
            expected = run([plain, *arguments], folder)
            found = run([*MPIRUN, str(processes), spread, *arguments], folder)
            good = same(expected, found)
            failed += not good
            print("ok" if good else "FAILED", case)
            if not good:
                print(expected, found, sep="\n", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
