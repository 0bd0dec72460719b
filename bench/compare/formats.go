package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/grader/studio/train"
	settings "github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// formats starts the solutions twice: with the layer of step 15, in whole numbers of 8
// bits, and with that of step 02.
func (k programs) formats(c *crew, threads int) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return err
	}
	seats, err := train.Seats(settings.Model{With: []string{"formats"}})
	if err != nil {
		return err
	}
	// Of step 12, since the worker reaches its cache through a package that is not beside it.
	small, err := train.BuildAround(context.Background(), kit, workspace.Solutions(),
		workspace.Build{Step: "step12_kvcache", Package: "grader/programs/bench", With: seats}, k.tmp)
	if err != nil {
		return err
	}
	procs := []string{fmt.Sprintf("GOMAXPROCS=%d", threads)}
	return errors.Join(
		c.start("int8", "the solutions with step 15 in place of step 02", procs, small),
		c.start("float32", "the solutions", procs, k.worker))
}

// shrunk asks both for text, at several sizes.
func shrunk(quick bool) []table {
	t := table{title: "generation, batch 1", unit: "tokens in a second of the processor", rounds: rounds(quick)}
	for _, m := range []struct{ name, of string }{
		{"small", "d_model 128"}, {"base", "d_model 512, 4 layers, 10,000 tokens"}, {"bench/wide.json", "d_model 1024, 4 layers, 10,000 tokens"},
	} {
		if quick && m.name == "bench/wide.json" {
			continue
		}
		t.questions = append(t.questions, bench.Question{Name: m.of, Work: 1, Ask: func(string) string { return "spend " + m.name + " 30" }})
	}
	return []table{t}
}

// perplexities trains a model of d_model 512 on opticks, unless it is there from an earlier time, and lets
// `grade eval` say how well it foretells a text when it was stored in fewer bits. A quick run leaves it out.
func (k programs) perplexities(r *Result) error {
	if r.Quick {
		return nil
	}
	grade, dir := filepath.Join(k.tmp, "grade"), filepath.Join("runs", "brief")
	if err := command("go", "build", "-o", grade, "./cmd/grade"); err != nil {
		return err
	}
	if train.HasModel(dir) != nil {
		fmt.Fprintln(os.Stderr, "training a model of d_model 512, some minutes")
		if err := command(grade, "train", "--impl", "solutions", "--config", "bench/brief.json", "--corpus", "opticks", "--seed", "0", "--out", dir, "--plain"); err != nil {
			return err
		}
	}
	text, err := corpus.Load("opticks")
	if err != nil {
		return err
	}
	const size = 20_000 // bytes at the end, which the model was not trained on; eval reads a tenth of them
	if err := os.WriteFile(k.file(prose), []byte(text[len(text)-size:]), 0o644); err != nil {
		return err
	}
	r.Prints = fmt.Sprintf("### `grade eval` of a model of d_model 512, trained on opticks as bench/brief.json says, on the last %d bytes\n\n", size/10)
	for _, format := range train.Formats() {
		fmt.Fprintln(os.Stderr, "perplexity in "+format)
		out := k.file(format)
		if err := command(grade, "quantize", dir, "--impl", "solutions", "--to", format, "--out", out); err != nil {
			return err
		}
		line, err := exec.Command(grade, "eval", out, "--impl", "solutions", "--corpus", k.file(prose)).Output()
		if err != nil {
			return err
		}
		r.Prints += fmt.Sprintf("- %s: %s", format, line)
	}
	r.Prints += "\n"
	return nil
}
