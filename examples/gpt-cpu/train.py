#!/usr/bin/env python3
"""Train a small byte-level GPT on the CPU, and log every optimizer step.

The run is made to be measured.  It first benchmarks the machine's float32
matmul rate (the "peak" in run.toml), then trains a GPT-2 style decoder for a
few minutes.  Halfway and at the end it stops to evaluate and to write a
checkpoint, so that the log shows both steady steps and lost time.

    python3 train.py > train.log

It needs PyTorch (1.13 or newer) with a fast BLAS; see README.md.  The text is
the set of licence texts that Debian and Ubuntu ship in
/usr/share/common-licenses, read as bytes (so the vocabulary is 256).
"""
import argparse
import glob
import json
import math
import os
import statistics
import tempfile
import time
from datetime import datetime

import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
# (m, k, n) of the benchmark's matmuls, C[m, n] = A[m, k] @ B[k, n].
PEAK_SHAPES = [(1024, 1024, 1024), (2048, 1024, 2048), (2048, 2048, 2048),
               (3072, 3072, 3072), (4096, 2048, 4096), (4096, 4096, 4096)]
PEAK_SECONDS_PER_SHAPE = 2.0


def say(text):
    """Print one log line with a timestamp (local time, milliseconds)."""
    stamp = datetime.now().isoformat(sep=" ", timespec="milliseconds")
    print(f"{stamp} {text}", flush=True)


class Block(nn.Module):
    """One pre-LN decoder layer: x + attention(LN(x)), then x + MLP(LN(x))."""

    def __init__(self, width, heads, context, eps):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width, eps=eps)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width, eps=eps)
        self.fc_in = nn.Linear(width, 4 * width)
        self.fc_out = nn.Linear(4 * width, width)
        # Added to the attention scores: minus infinity hides the future.
        future = torch.full((context, context), float("-inf")).triu(1)
        self.register_buffer("future", future, persistent=False)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).split(width, dim=2)
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (t.view(shape).transpose(1, 2) for t in (q, k, v))
        # The full length x length product is computed and then masked, so the
        # processor does about twice the work that causal attention needs.
        scores = q @ k.transpose(2, 3) / math.sqrt(shape[3])
        weights = F.softmax(scores + self.future[:length, :length], dim=3)
        y = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        return self.proj(y)

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.fc_out(F.gelu(self.fc_in(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        width, context = cfg["n_embd"], cfg["n_positions"]
        eps = cfg["layer_norm_epsilon"]
        self.tokens = nn.Embedding(cfg["vocab_size"], width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(
            Block(width, cfg["n_head"], context, eps)
            for _ in range(cfg["n_layer"]))
        self.ln_f = nn.LayerNorm(width, eps=eps)
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.dim() == 2:
                std = cfg["initializer_range"]
                if name.endswith(("proj.weight", "fc_out.weight")):
                    std /= math.sqrt(2 * cfg["n_layer"])
                nn.init.normal_(p, std=std)

    def forward(self, ids, targets):
        where = torch.arange(ids.shape[1])
        x = self.tokens(ids) + self.positions(where)
        for block in self.blocks:
            x = block(x)
        # The output projection shares its weights with the token embedding.
        logits = F.linear(self.ln_f(x), self.tokens.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def measure_peak(label):
    """Time float32 matmuls; return the best shape's median rate, in FLOP/s."""
    best = 0.0
    for m, k, n in PEAK_SHAPES:
        a, b, c = torch.randn(m, k), torch.randn(k, n), torch.empty(m, n)
        torch.mm(a, b, out=c)  # warm up
        times, end = [], time.perf_counter() + PEAK_SECONDS_PER_SHAPE
        while time.perf_counter() < end:
            start = time.perf_counter()
            torch.mm(a, b, out=c)
            times.append(time.perf_counter() - start)
        rate = 2 * m * k * n / statistics.median(times)
        say(f"matmul peak {label}: {m}x{k}x{n}: "
            f"median {rate / 1e9:.1f} GFLOP/s over {len(times)} runs")
        best = max(best, rate)
    say(f"matmul peak {label}: best median {best / 1e9:.1f} GFLOP/s")
    return best


def cpu_name():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f
                        if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown"


def blas_name():
    """The file name of the BLAS library that this process has loaded."""
    try:
        with open("/proc/self/maps") as f:
            files = {os.path.basename(line.split()[-1]) for line in f}
    except OSError:
        files = set()
    found = sorted(f for f in files if "blas" in f or "mkl_core" in f)
    return ", ".join(found) or "unknown"


def load_text():
    """The licence texts as one tensor of bytes, split 90:10 for validation."""
    data = b""
    for path in sorted(glob.glob("/usr/share/common-licenses/*")):
        if not os.path.islink(path):  # the links only repeat other files
            with open(path, "rb") as f:
                data += f.read()
    if not data:
        raise SystemExit("no text found in /usr/share/common-licenses")
    ids = torch.tensor(list(data), dtype=torch.long)
    cut = len(ids) * 9 // 10
    return ids[:cut], ids[cut:]


def get_batch(ids, batch, length):
    """Random windows of the text, and the same windows one byte later."""
    starts = torch.randint(len(ids) - length, (batch,)).tolist()
    x = torch.stack([ids[i:i + length] for i in starts])
    y = torch.stack([ids[i + 1:i + 1 + length] for i in starts])
    return x, y


@torch.no_grad()
def evaluate(model, ids, batches, batch, length):
    losses = [model(*get_batch(ids, batch, length)).item()
              for _ in range(batches)]
    return sum(losses) / len(losses)


def save_checkpoint(model, optimizer, step, out):
    say("saving checkpoint to out")
    with open(os.path.join(out, "ckpt.pt"), "wb") as f:
        torch.save({"model": model.state_dict(),
                    "optimizer": optimizer.state_dict(), "step": step}, f)
        f.flush()
        os.fsync(f.fileno())


def main():
    ap = argparse.ArgumentParser(description="Train a small GPT on the CPU.")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--batch", type=int, default=8, help="sequences a step")
    ap.add_argument("--steps", type=int, default=200)
    ap.add_argument("--eval-every", type=int, default=100)
    ap.add_argument("--eval-batches", type=int, default=40)
    args = ap.parse_args()

    torch.manual_seed(1337)
    torch.set_num_threads(args.threads)
    with open(os.path.join(HERE, "config.json")) as f:
        cfg = json.load(f)
    batch, length = args.batch, cfg["n_positions"]

    say(f"device: cpu, {cpu_name()}")
    say(f"PyTorch {torch.__version__}, BLAS {blas_name()}, "
        f"threads: {torch.get_num_threads()}")
    peak = measure_peak("before training")

    train_ids, val_ids = load_text()
    say(f"text: {len(train_ids):,} bytes to train on, "
        f"{len(val_ids):,} to validate")
    model = GPT(cfg)
    count = sum(p.numel() for p in model.parameters())
    say(f"number of parameters: {count:,}")
    say(f"tokens per iteration will be: {batch * length:,}")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3,
                                  betas=(0.9, 0.99), weight_decay=0.1)
    # Linear warm-up over 20 steps, then a constant learning rate.
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 20))

    with tempfile.TemporaryDirectory() as out:
        for step in range(args.steps):
            # The time covers one optimizer step and nothing else: fetching
            # the batch, forward, backward, clipping and the update.
            start = time.perf_counter()
            x, y = get_batch(train_ids, batch, length)
            loss = model(x, y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            took = time.perf_counter() - start
            say(f"iter {step}: loss {loss.item():.4f}, "
                f"time {took * 1e3:.2f}ms")

            done = step + 1
            if done % args.eval_every == 0 or done == args.steps:
                train_loss, val_loss = (
                    evaluate(model, ids, args.eval_batches, batch, length)
                    for ids in (train_ids, val_ids))
                say(f"step {done}: train loss {train_loss:.4f}, "
                    f"val loss {val_loss:.4f}")
                save_checkpoint(model, optimizer, done, out)
        say("training finished")

    # A shared machine may speed up or slow down: take the larger of the two.
    peak = max(peak, measure_peak("after training"))
    say(f"matmul peak of this run: {peak / 1e9:.1f} GFLOP/s")


if __name__ == "__main__":
    main()
