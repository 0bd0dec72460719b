"""Writes bleu.json: the scores that sacrebleu gives, which the kit's BLEU is held to.

    pip install sacrebleu==2.6.0
    python3 bleu.py

A token is a character: each is handed over by itself, between spaces, and nothing is
smoothed. The scores are from 0 to 1. A character that is a space becomes the letter ␣.
"""

import json
import pathlib

from sacrebleu.metrics import BLEU

STORY = "一天早晨，安娜和弟弟一起去了磨坊。她想要一盏灯。"
CASES = [
    ("the same", [STORY], [[STORY]]),
    ("one word wrong", ["一天早晨，安娜和弟弟一起去了河边。她想要一盏灯。"], [[STORY]]),
    ("cut short: the brevity penalty", ["一天早晨，安娜和弟弟一起去了磨坊。"], [[STORY]]),
    ("too long: no penalty", [STORY + "她想要一盏灯。"], [[STORY]]),
    ("a run more often than in the reference", ["灯灯灯灯灯灯灯灯"], [["一盏灯灯灯灯。"]]),
    ("no run of four", ["安娜在磨坊"], [["安娜去磨坊"]]),
    ("nothing right", ["汤姆"], [["安娜"]]),
    ("two references, the counts of either", ["安娜独自去了河边，她很难过。"],
     [["安娜独自去了河边，很伤心。", "安娜一个人去了河边，她很难过。"]]),
    ("a closer and a longer reference", ["他笑了，没有回头。"],
     [["汤姆想起了母亲，笑了，没有回头。", "汤姆笑了，没有回头。"]]),
    ("the whole, and not the mean of its sentences",
     ["她向磨坊主求助，可是没有人回答。", "后来下起了雨，安娜唱歌取暖。", "灯"],
     [["她向船夫求助，可是没有人回答。"], ["后来下起了雪，安娜唱歌取暖。"], ["一盏灯"]]),
    ("letters and spaces", ["the cat sat on the mat"], [["the cat is on the mat", "there is a cat on the mat"]]),
    ("shorter in sum, longer in one", ["灯灯灯灯灯灯", "安娜去了"], [["灯灯灯灯"], ["安娜去了磨坊和河边"]]),
]


def spaced(text):
    return " ".join(text.replace(" ", "␣"))


def main():
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    out = []
    for name, candidates, references in CASES:
        most = max(map(len, references))
        by_column = [[spaced(r[i]) if i < len(r) else None for r in references] for i in range(most)]
        score = metric.corpus_score([spaced(c) for c in candidates], by_column).score / 100
        out.append({"name": name, "candidates": candidates, "references": references, "bleu": score})
    text = json.dumps(out, ensure_ascii=False, indent=1)
    pathlib.Path(__file__).with_name("bleu.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
