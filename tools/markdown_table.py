#!/usr/bin/env python3
"""Writes tables of a document as Markdown, for pages that a command regenerates.

    nameplate validate --what memory RUNS.csv --format json | tools/markdown_table.py errors left_out

Bytes become GB (10^9), ratios percent; the figures of the document come first. Empty columns are left out.
"""

import json
import sys


def shown(value, unit, name):
    if value is None or value == "":
        return ""
    if unit == "B":
        return f"{value / 1e9:.1f}"
    if name.endswith("_ratio"):
        return f"{100 * value:.1f}"
    return str(value)


def heading(name, unit):
    if unit == "B":
        return f"{name} (GB)"
    return f"{name.removesuffix('_ratio')} (%)" if name.endswith("_ratio") else name


def markdown(table):
    columns = table["columns"]
    rows = [[shown(cell, c.get("unit", ""), c["id"]) for cell, c in zip(row, columns)] for row in table["rows"]]
    kept = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    lines = ["| " + " | ".join(heading(columns[i]["id"], columns[i].get("unit", "")) for i in kept) + " |"]
    lines.append("|" + "---|" * len(kept))
    lines += ["| " + " | ".join(row[i] for i in kept) + " |" for row in rows]
    return "\n".join(lines)


def main(names):
    document = json.load(sys.stdin)
    for name, value in document["values"].items():
        print(f"- {name}: {shown(value['value'], value.get('unit', ''), name)}" + (" %" if name.endswith("_ratio") else ""))
    for name in names:
        print("\n" + markdown(document["tables"][name]))


if __name__ == "__main__":
    main(sys.argv[1:])
