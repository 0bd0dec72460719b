"""The model of a llama2.c checkpoint in PyTorch, from the file alone.

    llama2c.py FILE ID...

prints the logits (T, V) for the token ids as JSON. It follows the description
of the format and of the model in github.com/karpathy/llama2.c, in float64.
"""
import json
import struct
import sys

import numpy as np
import torch
import torch.nn.functional as F


def main(path, ids):
    data = open(path, "rb").read()
    dim, hidden, layers, heads, kv_heads, vocab, seq = struct.unpack("<7i", data[:28])
    numbers = torch.from_numpy(np.frombuffer(data, dtype="<f4", offset=28).astype(np.float64))

    def take(*shape):
        nonlocal numbers
        n = int(np.prod(shape))
        part, numbers = numbers[:n], numbers[n:]
        return part.reshape(shape)

    embedding = take(abs(vocab), dim)
    rows = kv_heads * dim // heads
    names = ["rms_att", "wq", "wk", "wv", "wo", "rms_ffn", "w1", "w2", "w3"]
    shapes = [(dim,), (dim, dim), (rows, dim), (rows, dim), (dim, dim), (dim,), (hidden, dim), (dim, hidden), (hidden, dim)]
    w = {name: take(layers, *shape) for name, shape in zip(names, shapes)}
    rms_final = take(dim)
    size = dim // heads
    take(2 * seq * (size // 2))  # freq_cis
    head = embedding if vocab > 0 else take(abs(vocab), dim)
    assert len(numbers) == 0

    t = len(ids)
    angles = torch.arange(t)[:, None] * 10000.0 ** (-torch.arange(0, size, 2).double() / size)
    turn = torch.polar(torch.ones_like(angles), angles)  # (T, K/2), one complex number a pair

    def norm(x, gain):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * gain

    def rope(x):  # (H, T, K): neighbours are a pair
        pairs = torch.view_as_complex(x.reshape(-1, t, size // 2, 2).contiguous())
        return torch.view_as_real(pairs * turn).reshape(-1, t, size)

    def split(x):
        return x.reshape(t, -1, size).transpose(0, 1)

    def shared(x):  # (H_kv, T, K): every head of a group gets a copy
        return x.repeat_interleave(heads // kv_heads, 0)

    future = torch.triu(torch.ones(t, t, dtype=torch.bool), 1)
    x = embedding[torch.tensor(ids)]
    for i in range(layers):
        h = norm(x, w["rms_att"][i])
        q, k, v = (split(h @ w[name][i].T) for name in ("wq", "wk", "wv"))
        scores = rope(q) @ shared(rope(k)).transpose(1, 2) / size**0.5
        mixed = torch.softmax(scores.masked_fill(future, float("-inf")), -1) @ shared(v)
        x = x + mixed.transpose(0, 1).reshape(t, dim) @ w["wo"][i].T
        h = norm(x, w["rms_ffn"][i])
        x = x + (F.silu(h @ w["w1"][i].T) * (h @ w["w3"][i].T)) @ w["w2"][i].T
    print(json.dumps((norm(x, rms_final) @ head.T).flatten().tolist()))


main(sys.argv[1], [int(a) for a in sys.argv[2:]])
