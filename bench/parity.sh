#!/usr/bin/env bash
# Trains the small model on opticks with the solutions and in PyTorch, three
# seeds each, on the same batches in the same order, and writes the validation
# losses to bench/results/parity.md and parity.json. Takes some ten minutes.
#
#     bench/parity.sh            Debian: python3-torch, python3-numpy
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-/usr/bin/python3}
go build -o "$work/grade" ./cmd/grade
mkdir -p bench/results

lines=$work/lines.jsonl
for seed in 0 1 2; do
	run=$work/run$seed
	"$work/grade" train --impl solutions --config small --corpus opticks --seed $seed --out "$run" --plain >"$work/log"
	"$work/grade" export --impl solutions "$run" "$work/ours.npz" >/dev/null
	"$work/grade" dev begin --impl solutions "$run" "$work/begin$seed" >/dev/null
	ours=$("$python" bench/train_torch.py "$run" --evaluate "$work/ours.npz")
	torch=$("$python" bench/train_torch.py "$run" --train "$work/begin$seed" --seed $seed)
	same=$("$python" bench/train_torch.py "$run" --train "$work/begin$seed" --first)
	echo "{\"seed\": $seed, \"stubformer\": $ours, \"pytorch\": $torch, \"pytorch_same_first_weights\": $same}" | tee -a "$lines"
done
"$python" - "$lines" <<'PY'
import json, pathlib, statistics, sys

runs = [json.loads(line) for line in open(sys.argv[1])]
columns = ["stubformer", "pytorch", "pytorch_same_first_weights"]
loss = {c: [r[c]["validation_loss"] for r in runs] for c in columns}
pathlib.Path("bench/results/parity.json").write_text(json.dumps(runs, indent=2) + "\n")
rows = [f"| {r['seed']} | " + " | ".join(f"{r[c]['validation_loss']:.4f}" for c in columns) + " |" for r in runs]
mean = "| mean | " + " | ".join(f"{statistics.mean(loss[c]):.4f}" for c in columns) + " |"
deviation = "| standard deviation | " + " | ".join(f"{statistics.stdev(loss[c]):.4f}" for c in columns) + " |"
pathlib.Path("bench/results/parity.md").write_text("\n".join([
    "Validation loss in nats per character, over all of the validation text, after 2000 steps of",
    "`small` on opticks; PyTorch " + runs[0]["pytorch"]["torch"] + ", same batches in the same order. Made by `bench/parity.sh`.",
    "",
    "| seed | Stubformer | PyTorch, own first weights | PyTorch, Stubformer's first weights |",
    "|---|---|---|---|",
    *rows, mean, deviation, ""]))
print(*rows, mean, deviation, sep="\n")
PY
