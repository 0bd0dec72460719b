package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/bench"
	"github.com/stubformer/stubformer/grader/train"
	settings "github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
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
	small, err := train.BuildAround(context.Background(), kit, workspace.Solutions(),
		workspace.Build{Step: "step12_kvcache", Package: "grader/bench/worker", With: seats}, k.tmp)
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
// `grade bench formats` print what becomes of it in fewer bits. A quick run leaves it out.
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
	fmt.Fprintln(os.Stderr, "its perplexity in every format")
	text, err := exec.Command(grade, "bench", "formats", "--impl", "solutions", dir).Output()
	r.Prints = "### `grade bench formats` of a model of d_model 512, trained on opticks as bench/brief.json says\n\n" + string(text)
	return err
}
