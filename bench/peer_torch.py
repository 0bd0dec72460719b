#!/usr/bin/env python3
"""A peer for the comparison of training, generation and vector functions: PyTorch.

It answers each line of its standard input with the seconds that one operation
takes; the questions are those of grader/programs/bench:

    memory MODEL                       no seconds: the bytes that training takes at its peak
    train MODEL SECONDS                for one token of a training step, with the batch of MODELS
    generate MODEL TOKENS              for one token, batch 1, with a cache of keys and values
    batch MODEL ROWS TOKENS            for one token of so many rows, written side by side
    prefill MODEL SECONDS              for one token of a prompt that fills the context, read at once
    attention FORM SECONDS             forward and backward through 8 heads of 2,048 tokens, by scores or tiles
    vector NAME ROWS COLUMNS SECONDS   for one call
    gemm torch TRANSA TRANSB M N K ACCUMULATE SECONDS

and "core" with the library that multiplies, and the processor that it chose its kernels for.
TORCH_THREADS is the number of threads. Everything is what a user who wants speed
would write: one product for queries, keys and values, AdamW over all tensors at
a time (foreach), no gradients and no modules' hooks in generation.
"""
import ctypes
import gc
import math
import os
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

from train_torch import LM, Attention, linear

# The vocabulary, the batch of the recipe and the batch of a brief training step.
MODELS = {
    "small": (65, 12, 12, dict(context_length=64, d_model=128, num_layers=4, num_heads=4, d_ff=344, rope_theta=10000.0)),
    "base": (10000, 32, 8, dict(context_length=256, d_model=512, num_layers=4, num_heads=16, d_ff=1344, rope_theta=10000.0)),
}


class FusedAttention(Attention):
    """One product for queries, keys and values, and a cache for generation."""

    def __init__(self, d, heads, theta, context):
        super().__init__(d, heads, theta, context)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        with torch.no_grad():
            self.qkv.weight.copy_(torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight]))
        del self.q_proj, self.k_proj, self.v_proj
        self.register_buffer("hidden", torch.zeros(context, context).masked_fill(self.future, float("-inf")), persistent=False)

    def heads_of(self, x):
        b, t, d = x.shape
        return self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.heads_of(x)
        scores = self.rope(q) @ self.rope(k).transpose(2, 3) * (1 / math.sqrt(d // self.heads)) + self.hidden[:t, :t]
        return self.output_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))

    def read(self, x, keys, values, p):
        """New tokens (B, T) at the positions from p on; keys and values are (B, H, context, K)."""
        b, t, d = x.shape
        q, k, v = self.heads_of(x)
        end = p + t
        cos, sin = self.cos[p:end], self.sin[p:end]

        def turn(y):
            a, b = y[..., 0::2], y[..., 1::2]
            return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)

        keys[:, :, p:end], values[:, :, p:end] = turn(k), v
        scores = turn(q) @ keys[:, :, :end].transpose(2, 3) * (1 / math.sqrt(d // self.heads))
        if t > 1:
            scores += self.hidden[p:end, :end]
        return self.output_proj((scores.softmax(-1) @ values[:, :, :end]).transpose(1, 2).reshape(b, t, d))


class Trainer:
    def __init__(self, name, whole=False):
        vocab, recipe, brief, m = MODELS[name]
        batch = recipe if whole else brief
        torch.manual_seed(0)
        self.model, self.m = LM(vocab, m), m
        for layer in self.model.layers:
            layer.attn = FusedAttention(m["d_model"], m["num_heads"], m["rope_theta"], m["context_length"])
        self.windows = torch.randint(vocab, (batch, m["context_length"] + 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.99), weight_decay=0.1, foreach=True)
        self.tokens = batch * m["context_length"]
        self.caches = {}  # by rows

    def step(self):
        loss = self.model.loss(self.windows)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()

    def cache(self, rows):
        """The keys and values of so many rows, always the same ones, so that their memory has been written to before."""
        if rows not in self.caches:
            m = self.m
            shape = (rows, m["num_heads"], m["context_length"], m["d_model"] // m["num_heads"])
            self.caches[rows] = [(torch.zeros(shape), torch.zeros(shape)) for _ in self.model.layers]
        return self.caches[rows]

    def read(self, ids, cache, p):
        """The logits (B, V) after the last of new tokens (B, T), which stand at the positions from p on."""
        model = self.model
        x = model.token_embeddings(ids)
        for layer, (keys, values) in zip(model.layers, cache):
            x = x + layer.attn.read(layer.ln1(x), keys, values, p)
            x = x + layer.ffn(layer.ln2(x))
        return model.lm_head(model.ln_final(x[:, -1]))

    @torch.inference_mode()
    def generate(self, tokens):
        def text():
            token = torch.tensor([[1]])
            for p in range(tokens):
                logits = self.read(token, cache, p)[0]
                token = torch.multinomial((logits / 0.8).softmax(-1), 1)[None]

        cache = self.cache(1)
        return again(text) / tokens

    @torch.inference_mode()
    def batch(self, rows, tokens):
        """Always the likeliest token; each row begins with another."""
        def texts():
            ids = torch.arange(1, rows + 1)[:, None]
            for p in range(tokens):
                ids = self.read(ids, cache, p).argmax(-1, keepdim=True)

        cache = self.cache(rows)
        return again(texts) / (rows * tokens)

    @torch.inference_mode()
    def prefill(self, seconds):
        cache, prompt = self.cache(1), self.windows[:1, :-1]
        return measure(seconds, lambda: self.read(prompt, cache, 0)) / prompt.shape[1]


def again(do):
    """The seconds of a call, one after the other for a tenth of a second or more."""
    start, calls = time.perf_counter(), 0
    while calls == 0 or time.perf_counter() - start < 0.1:
        do()
        calls += 1
    return (time.perf_counter() - start) / calls


def measure(seconds, do):
    start = time.perf_counter()
    do()
    first = time.perf_counter() - start
    if first >= seconds:
        return first
    calls = int(seconds / max(first, 1e-7))
    start = time.perf_counter()
    for _ in range(calls):
        do()
    return (time.perf_counter() - start) / calls


TRAINERS = {}


def trainer(name):
    if name not in TRAINERS:
        TRAINERS[name] = Trainer(name)
    return TRAINERS[name]


def vector(name, rows, columns, seconds):
    x = torch.randn(rows, columns)
    y = torch.empty_like(x)
    with torch.inference_mode():
        # What has an out= writes into memory that is there already, as the kit does.
        do = {
            "exp": lambda: torch.exp(x, out=y),
            "silu": lambda: torch._C._nn.silu(x, out=y),
            "softmax": lambda: torch.softmax(x, -1, out=y) if SOFTMAX_OUT else torch.softmax(x, -1),
        }[name]
        return measure(seconds, do)


try:
    torch.softmax(torch.ones(1, 2), -1, out=torch.empty(1, 2))
    SOFTMAX_OUT = True
except TypeError:
    SOFTMAX_OUT = False


def gemm(ta, tb, m, n, k, accumulate, seconds):
    a = torch.randn((k, m) if ta else (m, k))
    b = torch.randn((n, k) if tb else (k, n))
    c = torch.zeros(m, n)
    a, b = (a.T if ta else a), (b.T if tb else b)
    with torch.inference_mode():
        return measure(seconds, (lambda: c.addmm_(a, b)) if accumulate else (lambda: torch.mm(a, b, out=c)))


def status(name):
    """A number of bytes of /proc/self/status."""
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def attention(form, seconds):
    """Causal attention as the formula says it, or PyTorch's own, which works in tiles where it can."""
    tokens, width = 2048, 64
    q, k, v = (torch.randn(1, 8, tokens, width, requires_grad=True) for _ in range(3))
    dy = torch.randn(1, 8, tokens, width)
    hidden = torch.full((tokens, tokens), -math.inf).triu(1)

    def scores():
        return (q @ k.transpose(2, 3) * (1 / math.sqrt(width)) + hidden).softmax(-1) @ v

    def tiles():
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    forward = {"scores": scores, "tiles": tiles}[form]
    return measure(seconds, lambda: torch.autograd.grad(forward(), (q, k, v), dy))


MEMORIES = {}


def memory(name):
    """What training with the recipe's batch takes at its peak beyond what was there before, as in the kit's worker."""
    if name not in MEMORIES:
        if TRAINERS:
            raise ValueError("a model is in training already")
        gc.collect()
        with open("/proc/self/clear_refs", "w") as peak:
            peak.write("5")
        before = status("VmRSS")
        t = Trainer(name, whole=True)
        for _ in range(3):
            t.step()
        MEMORIES[name] = status("VmHWM") - before
    return MEMORIES[name]


def core():
    """The BLAS that this process has loaded, and the processor that it chose its kernels for."""
    with open("/proc/self/maps") as maps:
        libraries = {line.split()[-1] for line in maps if "openblas" in line}
    for library in sorted(libraries):
        try:
            corename = ctypes.CDLL(library).openblas_get_corename
        except (AttributeError, OSError):
            continue
        corename.restype = ctypes.c_char_p
        return "OpenBLAS, " + corename().decode()
    return "another library than OpenBLAS"


def answer(q):
    if q[0] == "memory":
        return memory(q[1])
    if q[0] == "train":
        t = trainer(q[1])
        return measure(float(q[2]), t.step) / t.tokens
    if q[0] == "generate":
        return trainer(q[1]).generate(int(q[2]))
    if q[0] == "batch":
        return trainer(q[1]).batch(int(q[2]), int(q[3]))
    if q[0] == "prefill":
        return trainer(q[1]).prefill(float(q[2]))
    if q[0] == "attention":
        return attention(q[1], float(q[2]))
    if q[0] == "vector":
        return vector(q[1], int(q[2]), int(q[3]), float(q[4]))
    if q[0] == "gemm":
        ta, tb, m, n, k, accumulate = map(int, q[2:8])
        return gemm(ta, tb, m, n, k, accumulate, float(q[8]))
    raise ValueError(f"there is no question {q[0]}")


def main():
    torch.set_num_threads(int(os.environ.get("TORCH_THREADS", "1")))
    for line in sys.stdin:
        if line.split() == ["core"]:
            print(core(), flush=True)
            continue
        try:
            print(f"{answer(line.split()):.6g}", flush=True)
        except Exception as e:  # the comparison says that there is no answer, and why
            print("!", str(e).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
