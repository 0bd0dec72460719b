#!/usr/bin/env bash
# Trains the small model on opticks with the solutions and in PyTorch, on the
# same batches in the same order, and writes the validation losses to
# bench/results/parity.md and parity.json. PyTorch trains twice: from its own
# first weights and from those of the run in Go. A seed takes some five minutes.
#
#     bench/parity.sh [SEED...]      seeds 0 1 2 unless others are named
#
# What is done is kept in runs/parity and skipped the next time; an interrupted
# training goes on where it was. Delete the folder to begin again.
#
#     PYTHON=...    an interpreter with torch and numpy (Debian: python3-torch, python3-numpy)
#     STEPS=...     fewer steps, to try the script out; in a folder of their own, and nothing is written to bench/results
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}
work=runs/parity${STEPS:+-$STEPS}
results=bench/results
[ -z "${STEPS:-}" ] || results=$work
seeds=("$@")
[ $# -gt 0 ] || seeds=(0 1 2)

if ! "$python" -c 'import torch, numpy' 2>/dev/null; then
	echo "parity: $python has no torch or no numpy; on Debian: apt-get install python3-torch python3-numpy; another interpreter: PYTHON=..." >&2
	exit 1
fi
mkdir -p "$work" "$results"
go build -o "$work/grade" ./cmd/grade

# keep FILE COMMAND... runs the command, unless what it writes is there from an earlier time.
keep() {
	local file=$1
	shift
	if [ ! -s "$file" ]; then
		"$@" >"$file.part"
		mv "$file.part" "$file"
	fi
}

# train RUN SEED trains in Go, and goes on with a run that was interrupted.
train() {
	if [ -d "$1" ]; then
		"$work/grade" train --impl solutions --resume "$1" --plain
	else
		"$work/grade" train --impl solutions --config small --corpus opticks --seed "$2" --out "$1" --plain ${STEPS:+--steps "$STEPS"}
	fi
}

for seed in "${seeds[@]}"; do
	run=$work/run$seed
	echo "seed $seed: Stubformer" >&2
	keep "$run.log" train "$run" "$seed"
	[ -s "$run.npz" ] || "$work/grade" export --impl solutions "$run" "$run.npz" >/dev/null
	[ -s "$run.begin/batches.bin" ] || "$work/grade" dev begin --impl solutions "$run" "$run.begin" >/dev/null
	keep "$run.stubformer.json" "$python" bench/train_torch.py "$run" --evaluate "$run.npz"
	echo "seed $seed: PyTorch, own first weights" >&2
	keep "$run.pytorch.json" "$python" bench/train_torch.py "$run" --train "$run.begin" --seed "$seed"
	echo "seed $seed: PyTorch, Stubformer's first weights" >&2
	keep "$run.pytorch_same_first_weights.json" "$python" bench/train_torch.py "$run" --train "$run.begin" --first
	"$python" bench/parity.py "$work" "$results"
done
