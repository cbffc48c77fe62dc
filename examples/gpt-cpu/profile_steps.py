#!/usr/bin/env python3
"""Record a profiler trace of a few steps of train.py's training.

The same model, text, batches and optimizer as train.py; after some steps to warm
up, two are recorded with the shapes of every operator's arguments.

    python3 profile_steps.py trace.json.gz

Debian's PyTorch is built without Kineto, and its export_chrome_trace leaves the
shapes out.  The profiler's own events have them, so they are written here, one
for one, as Kineto writes them.  With another PyTorch, export_chrome_trace does.
"""
import gzip
import itertools
import json
import os
import sys

import torch
import torch.nn as nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

import train

WARM_UP, RECORDED, BATCH = 12, 2, 8


def kineto_event(event, steps):
    """One event of the profiler; times are microseconds."""
    name = event.name
    if name == "ProfilerStep*":  # the profiler leaves its number out
        name = f"ProfilerStep#{next(steps)}"
    category = "cpu_op" if "::" in name else "user_annotation"
    args = {}
    if any(event.input_shapes or []):
        args["Input Dims"] = event.input_shapes
    return {"ph": "X", "cat": category, "name": name, "pid": 1,
            "tid": event.thread, "ts": event.time_range.start,
            "dur": event.time_range.elapsed_us(), "args": args}


def export(profiler, path):
    steps = itertools.count(WARM_UP)
    events = [kineto_event(event, steps) for event in profiler.events()]
    text = ",\n".join(json.dumps(e, separators=(",", ":")) for e in events)
    with gzip.GzipFile(path, "wb", 9, mtime=0) as target:
        target.write(f'{{"traceEvents":[\n{text}\n]}}\n'.encode())


def main():
    torch.manual_seed(1337)
    torch.set_num_threads(2)
    with open(os.path.join(train.HERE, "config.json")) as f:
        cfg = json.load(f)
    ids, _ = train.load_text()
    model = train.GPT(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3,
                                  betas=(0.9, 0.99), weight_decay=0.1)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                 schedule=schedule(wait=WARM_UP - 1, warmup=1, active=RECORDED),
                 on_trace_ready=lambda p: export(p, sys.argv[1])) as profiler:
        for _ in range(WARM_UP + RECORDED):
            with record_function("get_batch"):
                x, y = train.get_batch(ids, BATCH, cfg["n_positions"])
            loss = model(x, y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            profiler.step()


if __name__ == "__main__":
    main()
