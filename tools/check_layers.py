#!/usr/bin/env python3
"""Holds LAYERS: which folder of nameplate/ may include which, and which third-party libraries it sees.

Prints `file:line: sentence` for every #include that LAYERS does not allow and exits with 1 if there was one.
Since a folder may only name folders above it in LAYERS, the folders cannot form a cycle.
Programs outside nameplate/ (tests/, benchmarks/) may include every folder, and the libraries of `PROGRAM_LIBRARIES`.
"""

import pathlib
import re
import sys

# How the headers of a library begin (or what they are called), and the library's name in LAYERS.
LIBRARY_HEADERS = {
    "fmt/": "fmt",
    "CLI/": "cli11",
    "isa-l.h": "isa-l",
    "isa-l/": "isa-l",
    "zlib.h": "zlib",
    "zstd": "zstd",
    "Random123/": "random123",
    "re2/": "re2",
    "toml++/": "toml++",
    "nlohmann/": "nlohmann",
    "simdjson.h": "simdjson",
    "sqlite3.h": "sqlite",
    "boost/math/": "boost-math",
    "boost/": "boost",
    "Eigen/": "eigen",
    "spdlog/": "spdlog",
    "oneapi/tbb": "tbb",
    "mpi.h": "mpi",
    "protozero/": "protozero",
    "snappy.h": "snappy",
    "fast_float/": "fast_float",
    "sodium.h": "sodium",
    "gtest/": "gtest",
    "gmock/": "gtest",
    "benchmark/": "benchmark",
    "fcntl.h": "posix",
    "glob.h": "posix",
    "poll.h": "posix",
    "sys/": "posix",
    "unistd.h": "posix",
}
PROGRAM_LIBRARIES = {"fmt", "cli11", "gtest", "benchmark", "zlib", "zstd", "posix"}
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


class Folder:
    def __init__(self, folders, libraries):
        self.folders = folders
        self.libraries = libraries


def parse_layers(text):
    """LAYERS as {folder: Folder}, and the problems in it."""
    layers, problems = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        match = re.fullmatch(r"(\S+)\s*:([^|]*)\|(.*)", line)
        if not match:
            problems.append(f"LAYERS:{number}: not of the form 'folder : folders | libraries'")
            continue
        name, folders, libraries = match[1], match[2].split(), match[3].split()
        for other in folders:
            if other not in layers:
                problems.append(f"LAYERS:{number}: {name} names {other}, which is not a folder above it")
        for library in libraries:
            if library not in LIBRARY_HEADERS.values():
                problems.append(f"LAYERS:{number}: unknown library {library} (known ones: tools/check_layers.py)")
        layers[name] = Folder(set(folders), set(libraries))
    return layers, problems


def folder_of(path, layers):
    """The folder in LAYERS that holds a path below nameplate/: the longest that fits, else None."""
    fitting = [name for name in layers if path.startswith(name + "/")]
    return max(fitting, key=len, default=None)


def library_of(header):
    """The library's name in LAYERS; "" for the standard library; None when unknown."""
    if re.fullmatch(r"[a-z0-9_]+", header):
        return ""
    fitting = [prefix for prefix in LIBRARY_HEADERS if header.startswith(prefix)]
    return LIBRARY_HEADERS[max(fitting, key=len)] if fitting else None


def check_own(header, name, layers):
    """Why the folder `name` (None: a program outside) may not include nameplate/<header>, or None."""
    target = folder_of(header, layers)
    if target is None:
        return f"nameplate/{header} is in no folder of LAYERS"
    if name is None or target == name or target in layers[name].folders:
        return None
    return f"{name} may not include {target}"


def check_library(header, name, allowed):
    """Why `name` may not include <header>, or None."""
    library = library_of(header)
    if library is None:
        return f"unknown third-party header <{header}>: name its library in tools/check_layers.py and LAYERS"
    if library and library not in allowed:
        return f"{name} may not include {library}"
    return None


def check_file(path, text, layers):
    """The problems of one source file; `path` is relative to the repository's root."""
    name, allowed = None, PROGRAM_LIBRARIES
    if path.startswith("nameplate/"):
        name = folder_of(path.removeprefix("nameplate/"), layers)
        if name is None:
            return [f"{path}:1: its folder is not in LAYERS"]
        allowed = layers[name].libraries | ({"gtest"} if path.endswith(("_test.cc", "_for_test.h")) else set())
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, angled = match[1], match[2]
        if quoted and name is None and quoted.startswith(path.split("/")[0] + "/"):
            continue
        if quoted and not quoted.startswith("nameplate/"):
            problem = f'"{quoted}": our headers are included from the root, "nameplate/…", others in <>'
        elif quoted:
            problem = check_own(quoted.removeprefix("nameplate/"), name, layers)
        else:
            problem = check_library(angled, name or path.split("/")[0], allowed)
        if problem:
            problems.append(f"{path}:{number}: {problem}")
    return problems


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    layers, problems = parse_layers((root / "LAYERS").read_text())
    for top in ("nameplate", "tests", "benchmarks"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc"):
                problems += check_file(str(path.relative_to(root)), path.read_text(), layers)
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
