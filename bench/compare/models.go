package main

import (
	"fmt"

	"github.com/stubformer/stubformer/grader/studio/bench"
)

// smallModel is nanoGPT's recipe for a CPU, 12 sequences of 64 characters.
func smallModel(quick bool) []table { return model("small", 0.3, 60, quick) }

// baseModel has four layers of d_model 512 and 10,000 tokens, and 8 sequences of
// 256. A quick run leaves it out.
func baseModel(quick bool) []table {
	if quick {
		return nil
	}
	return append(model("base", 0.1, 60, quick), reading())
}

// model asks for the memory that training takes, which only a fresh process can say, for
// training steps of about the given time, for reading a prompt, and for text.
func model(name string, seconds float64, tokens int, quick bool) []table {
	train := everyone(name, "train "+name)
	train.Ask = func(peer string) string {
		if peer == halved {
			return fmt.Sprintf("train %s-bf16 %g", name, seconds)
		}
		return fmt.Sprintf("train %s %g", name, seconds)
	}
	n := 7
	if quick {
		n = 3
	}
	memory := everyone(name, "memory "+name)
	memory.Work = 1e9
	return []table{
		{title: "memory of training, at its peak", unit: "trainings that a GB holds", rounds: 1,
			questions: []bench.Question{memory}},
		{title: "training step", unit: "tokens/s", rounds: n, questions: []bench.Question{train}},
		prompt(name, n),
		{title: "generation, batch 1", unit: "tokens/s", rounds: n,
			questions: []bench.Question{everyone(name, fmt.Sprintf("generate %s %d", name, tokens))}},
		abreast(name, tokens, n),
	}
}

// everyone asks all peers the same, but for the one that only trains.
func everyone(name, question string) bench.Question {
	return bench.Question{Name: name, Work: 1, Ask: func(peer string) string {
		if peer == halved {
			return ""
		}
		return question
	}}
}

// ours asks the kit alone what the machine can do.
func ours(name, question string) bench.Question {
	return bench.Question{Name: name, Work: 1e-9, Ask: func(peer string) string {
		if peer != "steps" {
			return ""
		}
		return question
	}}
}

// prompt asks for reading a prompt that fills the context, and how far the products in
// it are from what the processor can do.
func prompt(name string, rounds int) table {
	return table{title: "reading a prompt as long as the context, at once", unit: "tokens/s", rounds: rounds,
		questions: []bench.Question{everyone(name, "prefill "+name+" 0.3")},
		converted: &conversion{title: "the products in reading a prompt", unit: "GFLOP/s", ask: "operations " + name,
			factors: []float64{1e-9},
			beside:  []bench.Question{ours("fused multiply-adds on registers, all cores", "peak 0.05")}}}
}

// abreast asks for several texts that are written side by side, and how much of the
// weights, which all texts of a batch share, is read for them.
func abreast(name string, tokens, rounds int) table {
	t := table{title: "generation side by side, with one cache", unit: "tokens/s, of all texts together", rounds: rounds,
		converted: &conversion{title: "weights read in generation side by side", unit: "GB/s", ask: "weights " + name}}
	for _, rows := range []int{1, 4, 16} {
		row, question := fmt.Sprintf("%s, batch %d", name, rows), fmt.Sprintf("batch %s %d %d", name, rows, tokens)
		t.questions = append(t.questions, everyone(row, question))
		t.converted.factors = append(t.converted.factors, 1e-9/float64(rows))
	}
	return t
}

// reading asks how fast the memory is, which sets the pace of generation where no cache
// holds the weights.
func reading() table {
	return table{title: "reading 256 MiB", unit: "GB/s", rounds: 15, questions: []bench.Question{
		ours("kernel.Dot, a part for each core", "read dot 0.1"),
		ours("kernel.MatVec, one matrix", "read matvec 0.1"),
	}}
}

// attentions asks for attention forward and backward with all its scores, as the formula
// says it, and in tiles: PyTorch's own.
func attentions(bool) []table {
	return []table{{title: "causal attention forward and backward, (1, 8, 2048, 64)", unit: "passes/s", rounds: 9,
		questions: []bench.Question{everyone("with all scores", "attention scores 0.5"), everyone("in tiles", "attention tiles 0.5")}}}
}

// pages asks for texts that are written side by side through the pages of step 22, against
// the cache of step 12, in turn.
func pages(quick bool) []table {
	t := table{title: "16 texts side by side through pages of 16 tokens, against one cache", unit: "times as fast", rounds: 1} // the turns are the rounds
	for _, model := range []string{"small", "base"} {
		if quick && model == "base" {
			continue
		}
		question := fmt.Sprintf("pages %s 16 60", model)
		t.questions = append(t.questions, bench.Question{Name: model, Work: 1, Ask: func(peer string) string {
			if peer != "steps" {
				return ""
			}
			return question
		}})
	}
	return []table{t}
}
