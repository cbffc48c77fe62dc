#!/usr/bin/env python3
"""Holds schema/document.json: says where a document on standard input, or in the named files, breaks it.

    nameplate report RUN --format json | tools/check_document.py

Beyond what a schema can say, rows of tables have one cell a column, figures name tables and columns that exist, and
ledgers close within 1e-9. Needs python3-jsonschema. Exits with 1 when something is wrong.
"""

import json
import math
import pathlib
import sys

import jsonschema

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "schema" / "document.json"


def reject_constant(text):
    raise ValueError(f"{text} is not JSON")


def reject_duplicates(pairs):
    keys = [key for key, _ in pairs]
    doubled = sorted({key for key in keys if keys.count(key) > 1})
    if doubled:
        raise ValueError(f"key twice: {', '.join(doubled)}")
    return dict(pairs)


def check_ledger(name, ledger):
    total = math.fsum(row["value"] for row in ledger["rows"])
    if abs(total - ledger["total"]) > 1e-9 * max(1.0, abs(ledger["total"])):
        yield f"{name}: rows sum to {total}, not {ledger['total']}"


def check_table(name, table):
    for number, row in enumerate(table["rows"]):
        if len(row) != len(table["columns"]):
            yield f"tables/{name}: row {number} has {len(row)} cells for {len(table['columns'])} columns"


def check_figure(figure, document):
    if figure["kind"] == "waterfall":
        if figure["table"].removeprefix("ledger:") not in document["ledgers"]:
            yield f"figure {figure['id']}: no ledger {figure['table']}"
        return
    table = document["tables"].get(figure["table"])
    if table is None:
        yield f"figure {figure['id']}: no table {figure['table']}"
        return
    columns = {column["id"] for column in table["columns"]}
    for column in [figure.get("x"), *figure["y"]]:
        if column is not None and column not in columns:
            yield f"figure {figure['id']}: no column {column} in {figure['table']}"


def problems(text):
    try:
        document = json.loads(text, parse_constant=reject_constant, object_pairs_hook=reject_duplicates)
    except ValueError as error:
        return [str(error)]
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    found = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(document)]
    if found:
        return found
    for name, ledger in document["ledgers"].items():
        found += check_ledger(name, ledger)
    for name, table in document["tables"].items():
        found += check_table(name, table)
    for figure in document["figures"]:
        found += check_figure(figure, document)
    return found


def main():
    texts = {path: pathlib.Path(path).read_text() for path in sys.argv[1:]} or {"<stdin>": sys.stdin.read()}
    failed = False
    for name, text in texts.items():
        for problem in problems(text):
            print(f"{name}: {problem}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
