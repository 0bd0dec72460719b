"""Makes models with transformers and lets it write with one, for TestTransformers.

    huggingface.py  make DIR TEXT     folders of models with random parameters, as
                                      save_pretrained writes them; their tokens are
                                      learnt from the file TEXT
    huggingface.py  write DIR N TEXT  the ids of a text, those of N tokens behind it, each
                                      the likeliest, and -log p of each, computed in float64
"""

import json
import math
import os
import sys

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers


def learned(text, size):
    """A tokenizer of GPT-2's kind."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train([text], trainers.BpeTrainer(vocab_size=size - 1, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    model = json.loads(t.to_str())["model"]
    vocab = dict(model["vocab"])
    vocab["<|endoftext|>"] = len(vocab)
    return transformers.GPT2Tokenizer(vocab=vocab, merges=[tuple(m) for m in model["merges"]])


def pieces(text, size):
    """A tokenizer of Llama 2's kind: <unk>, <s>, </s>, the bytes, and pieces, with a merge
    for every two pieces that make one, in the order of what they make."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    t.train([text], trainers.BpeTrainer(vocab_size=size - 259, show_progress=False))
    found = sorted(t.get_vocab(), key=t.get_vocab().get)
    names = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)] + found
    vocab = {name: id for id, name in enumerate(names)}
    merges = []
    for name in found:
        splits = [(name[:cut], name[cut:]) for cut in range(1, len(name))]
        merges += [(a, b) for a, b in splits if a in vocab and b in vocab]
    return transformers.LlamaTokenizer(vocab=vocab, merges=merges, add_bos_token=True)


def make(out, text):
    torch.manual_seed(1)
    shape = dict(hidden_size=64, intermediate_size=176, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=128,
                 rms_norm_eps=1e-5, initializer_range=0.2)
    for name, tokens, changes, dtype, shard in [
        ("grouped queries, tokens like GPT-2's, several files", learned(text, 400), dict(num_key_value_heads=2), "float32", "100KB"),
        ("tied head, pieces, bfloat16", pieces(text, 500), dict(tie_word_embeddings=True), "bfloat16", "1GB"),
        ("one head of keys, another base, pieces, float16", pieces(text, 400),
         dict(num_key_value_heads=1, rope_parameters={"rope_type": "default", "rope_theta": 500.0}), "float16", "1GB"),
    ]:
        config = transformers.LlamaConfig(vocab_size=len(tokens), **(shape | changes))
        model = transformers.LlamaForCausalLM(config).to(getattr(torch, dtype))
        folder = os.path.join(out, name)
        model.save_pretrained(folder, max_shard_size=shard)
        tokens.save_pretrained(folder)
    shape = dict(n_layer=2, n_head=4, n_positions=128, bos_token_id=0, eos_token_id=0)
    for name, changes, dtype, shard in [
        ("GPT-2 as it was published", dict(n_embd=64), "float32", "1GB"),
        ("GPT-2 with odd heads, erf, another epsilon and a head of its own, several files",
         dict(n_embd=60, n_inner=200, activation_function="gelu", layer_norm_epsilon=1e-3,
              tie_word_embeddings=False), "float32", "100KB"),
        ("GPT-2 with ReLU, float16", dict(n_embd=32, activation_function="relu"), "float16", "1GB"),
    ]:
        tokens = learned(text, 400)
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=len(tokens), **(shape | changes)))
        with torch.no_grad():
            for parameter in model.parameters():  # biases begin as 0, and gains as 1
                parameter.copy_(torch.randn_like(parameter) * 0.3 + (parameter == 1))
        folder = os.path.join(out, name)
        model.to(getattr(torch, dtype)).save_pretrained(folder, max_shard_size=shard)
        tokens.save_pretrained(folder)


def write(folder, n, text):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    prompt = Tokenizer.from_file(os.path.join(folder, "tokenizer.json")).encode(text).ids
    ids, surprise = [], []
    with torch.no_grad():
        for _ in range(n):
            p = torch.log_softmax(model(torch.tensor([prompt + ids])).logits[0, -1], -1)
            ids.append(int(p.argmax()))
            surprise.append(-float(p[ids[-1]]))
    assert all(math.isfinite(s) for s in surprise)
    print(json.dumps({"prompt": prompt, "ids": ids, "surprise": surprise}))


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3])
else:
    write(sys.argv[2], int(sys.argv[3]), sys.argv[4])
