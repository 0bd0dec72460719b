#!/usr/bin/env bash
# Holds what `grade import hf` reads to Hugging Face's transformers: models of random
# parameters that transformers has saved (grouped queries and tokens like GPT-2's in
# several files; a tied head in bfloat16 and one head of keys in float16, with pieces like
# Llama 2's; three like GPT-2) and one that is trained here for a moment. On the solutions
# each must find the same tokens in a text, write the same 60 behind it, and be as surprised
# by each within 0.001, and no longer where the rows of one W_K are in another order, nor in
# those like GPT-2 where q, k and v change places or a bias is left out. And what `grade
# export --hf` writes transformers must open, and write the same text with.
#
#     PYTHON=...    an interpreter that has transformers and torch
#
# Without it the newest of both are installed into a folder that is removed again: some
# gigabytes where PyPI has torch only with CUDA. Where they cannot be had nothing is
# compared, and it says so.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-}
if [ -z "$python" ]; then
	packages=$(mktemp -d)
	trap 'rm -rf "$packages"' EXIT
	python=$packages/bin/python
	if ! { python3 -m venv "$packages" && timeout 1800 "$python" -m pip install --quiet torch transformers; }; then
		echo "transformers and torch cannot be installed here: skipped"
		exit 0
	fi
fi
"$python" -c 'import torch, transformers; print("transformers", transformers.__version__, "on torch", torch.__version__)'
TRANSFORMERS=$python GOFLAGS=-vet=off go test -count=1 -timeout 0 ./grader/studio/train -run '^TestTransformers(Read)?$' -v | grep -v '^=== '
