#!/usr/bin/env python3
"""Draws parity.md and parity.json from what bench/parity.sh has done so far.

    parity.py WORK RESULTS
"""
import json
import pathlib
import statistics
import sys

COLUMNS = {
    "stubformer": "Stubformer",
    "pytorch": "PyTorch, own first weights",
    "pytorch_same_first_weights": "PyTorch, Stubformer's first weights",
}


def finished(work):
    """The runs of which all three results are there, by their seeds."""
    runs = []
    for folder in sorted(work.glob("run*[0-9]"), key=lambda p: int(p.name[3:])):
        files = {column: work / f"{folder.name}.{column}.json" for column in COLUMNS}
        if all(file.exists() for file in files.values()):
            runs.append({"seed": int(folder.name[3:])} | {column: json.loads(file.read_text()) for column, file in files.items()})
    return runs


def table(runs, steps):
    losses = [[run[column]["validation_loss"] for column in COLUMNS] for run in runs]

    def row(name, values):
        return f"| {name} | " + " | ".join(f"{value:.4f}" for value in values) + " |"

    lines = [
        f"Validation loss in nats per character, over all of the validation text, after {steps} steps of",
        f"`small` on opticks; PyTorch {runs[0]['pytorch']['torch']}, same batches in the same order. Made by `bench/parity.sh`.",
        "",
        "| seed | " + " | ".join(COLUMNS.values()) + " |",
        "|---" * (1 + len(COLUMNS)) + "|",
        *(row(run["seed"], values) for run, values in zip(runs, losses)),
    ]
    if len(runs) > 1:
        columns = list(zip(*losses))
        lines += [row("mean", map(statistics.mean, columns)), row("standard deviation", map(statistics.stdev, columns))]
    return "\n".join(lines) + "\n"


def main():
    work, results = map(pathlib.Path, sys.argv[1:3])
    runs = finished(work)
    config = json.loads((work / f"run{runs[0]['seed']}" / "config.json").read_text())
    text = table(runs, config["recipe"]["steps"])
    (results / "parity.json").write_text(json.dumps(runs, indent=2) + "\n")
    (results / "parity.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
