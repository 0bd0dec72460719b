#!/usr/bin/env python3
"""The model and the training of a run in PyTorch, to compare the losses.

    grade train --config small --out RUN --seed 0        the run in Go
    grade export RUN ours.npz                            its parameters
    grade dev begin RUN OUT                              its first weights and its batches

    train_torch.py RUN --evaluate ours.npz               their loss on all of the validation text
    train_torch.py RUN --train OUT --seed 0              the same training in PyTorch
    train_torch.py RUN --train OUT --first               and from the same first weights

Each prints one line of JSON. The PyTorch model is written from the formulas, with
the same hyper-parameters (RUN/config.json), the same token files and the same
batches in the same order. Its first weights are draws of its own from the same
distributions, or with --first those of the run in Go. The validation loss is the mean over the whole validation text, in
windows of the context's length that do not overlap.
"""
import argparse
import json
import math
import pathlib
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Norm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.weight


def linear(d_in, d_out):
    layer = nn.Linear(d_in, d_out, bias=False)
    sigma = math.sqrt(2 / (d_in + d_out))
    nn.init.trunc_normal_(layer.weight, 0, sigma, -3 * sigma, 3 * sigma)
    return layer


class Attention(nn.Module):
    def __init__(self, d, heads, theta, context):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.output_proj = (linear(d, d) for _ in range(4))
        size = d // heads
        angles = torch.arange(context)[:, None] * theta ** (-torch.arange(0, size, 2).double() / size)
        self.cos, self.sin = angles.cos().float(), angles.sin().float()  # (T, K/2)
        self.future = torch.triu(torch.ones(context, context, dtype=torch.bool), 1)

    def rope(self, x):  # (B, H, T, K): neighbours are a pair
        t = x.shape[2]
        cos, sin, a, b = self.cos[:t], self.sin[:t], x[..., 0::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)

    def forward(self, x):
        b, t, d = x.shape

        def split(y):
            return y.view(b, t, self.heads, d // self.heads).transpose(1, 2)

        q, k, v = self.rope(split(self.q_proj(x))), self.rope(split(self.k_proj(x))), split(self.v_proj(x))
        scores = q @ k.transpose(2, 3) / math.sqrt(d // self.heads)
        y = scores.masked_fill(self.future[:t, :t], float("-inf")).softmax(-1) @ v
        return self.output_proj(y.transpose(1, 2).reshape(b, t, d))


class FeedForward(nn.Module):
    def __init__(self, d, f):
        super().__init__()
        self.w1, self.w2, self.w3 = linear(d, f), linear(f, d), linear(d, f)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.ln1, self.ln2 = Norm(m["d_model"]), Norm(m["d_model"])
        self.attn = Attention(m["d_model"], m["num_heads"], m["rope_theta"], m["context_length"])
        self.ffn = FeedForward(m["d_model"], m["d_ff"])

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class LM(nn.Module):
    def __init__(self, vocab, m):
        super().__init__()
        self.token_embeddings = nn.Embedding(vocab, m["d_model"])
        nn.init.trunc_normal_(self.token_embeddings.weight, 0, 1, -3, 3)
        self.layers = nn.ModuleList(Block(m) for _ in range(m["num_layers"]))
        self.ln_final = Norm(m["d_model"])
        self.lm_head = linear(m["d_model"], vocab)

    def forward(self, ids):
        x = self.token_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_final(x))

    def loss(self, windows):  # (B, T+1)
        logits = self(windows[:, :-1])
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), windows[:, 1:].reshape(-1))


def rate(t, r):
    """The learning rate of update t, counted from 1."""
    if t < r["warmup"]:
        return t / r["warmup"] * r["lr_max"]
    if t >= r["steps"]:
        return r["lr_min"]
    progress = (t - r["warmup"]) / (r["steps"] - r["warmup"])
    return r["lr_min"] + (1 + math.cos(math.pi * progress)) / 2 * (r["lr_max"] - r["lr_min"])


@torch.no_grad()
def evaluate(model, run, context):
    """The mean loss over the whole validation text, in nats per token."""
    tokens = np.fromfile(run / "validation.bin", dtype="<u2").astype(np.int64)
    windows = (len(tokens) - 1) // context
    total = 0.0
    for i in range(0, windows, 64):
        rows = [tokens[w * context : (w + 1) * context + 1] for w in range(i, min(i + 64, windows))]
        total += len(rows) * model.loss(torch.from_numpy(np.stack(rows))).item()
    return total / windows


def train(model, run, config, begin):
    r, context = config["recipe"], config["model"]["context_length"]
    data = np.fromfile(begin / "batches.bin", dtype="<u2").astype(np.int64).reshape(r["steps"], r["batch"], context + 1)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(r["beta1"], r["beta2"]), eps=r["eps"], weight_decay=r["weight_decay"])
    seconds = 0.0
    for t in range(1, r["steps"] + 1):
        start = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = rate(t, r)
        loss = model.loss(torch.from_numpy(data[t - 1]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), r["max_norm"])
        optimizer.step()
        seconds += time.perf_counter() - start
        if t in (1, 10, 100) or t % r["eval_every"] == 0:
            print(f"step {t}: loss {loss.item():.6f}, validation {evaluate(model, run, context):.4f}", file=sys.stderr, flush=True)
    return r["steps"] * r["batch"] * context / seconds


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("run", type=pathlib.Path)
    p.add_argument("--evaluate", metavar="FILE.npz")
    p.add_argument("--train", metavar="OUT", type=pathlib.Path)
    p.add_argument("--first", action="store_true")
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    config = json.loads((args.run / "config.json").read_text())
    torch.manual_seed(args.seed)
    model = LM(config["vocab_size"], config["model"])
    result = {}

    def load(file):
        model.load_state_dict({name: torch.from_numpy(value) for name, value in np.load(file).items()})

    if args.evaluate:
        load(args.evaluate)
    elif args.train:
        if args.first:
            load(args.train / "first.npz")
        result = {"seed": None if args.first else args.seed, "tokens_per_second": round(train(model, args.run, config, args.train))}
    else:
        p.error("want --evaluate or --train")
    result["validation_loss"] = round(evaluate(model, args.run, config["model"]["context_length"]), 5)
    result["torch"] = torch.__version__
    print(json.dumps(result))


if __name__ == "__main__":
    main()
