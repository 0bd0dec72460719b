// Package figure makes the course's pictures as charts: data that package draw
// turns into a file and the dashboard shows in a terminal.
//
// Every number in a chart is measured, computed by the student's own code, or
// follows from a formula whose source is named where it is computed.
package figure

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Info describes a figure that can be made.
type Info struct {
	Name  string    // "loss"
	Shows lang.Text // what it shows, in a sentence
	Needs Needs
}

// Needs says what a figure is made of.
type Needs struct {
	Runs    bool // folders of training runs, at least one
	Model   bool // the folder of one trained or imported model
	Recalls bool // folders of models that have learnt to recall, at least one
	Code    bool // the code of the steps: it is built and run
	File    bool // a file of measurements
}

// Options returns the options of the command that say it: "--run DIR".
func (n Needs) Options() []string {
	var out []string
	if n.Runs || n.Model || n.Recalls {
		out = append(out, "--run DIR")
	}
	if n.File {
		out = append(out, "--data FILE")
	}
	return out
}

// RequestError says that a figure was asked for in the wrong way: there is no
// such figure, or something that it needs was not named.
type RequestError struct{ Text lang.Text }

func (e *RequestError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *RequestError) In(p lang.Printer) string { return e.Text.In(p) }

// Options are what figures are made of; each figure uses what it needs.
type Options struct {
	Kit    *workspace.Kit
	Lang   lang.Printer // of the titles, labels and names in the chart
	Impl   grader.Impl  // whose code is run: grader.Mine or grader.Solutions
	Runs   []string     // folders
	File   string       // a JSON file
	Prompt string       // text that a model is given
	Prints io.Writer    // takes what a student's code prints; nil drops it
	Box    *sandbox.Box // in which a student's code runs; nil for none
}

// entry is a figure and how it is made.
type entry struct {
	Info
	make func(context.Context, Options) (*chart.Chart, error)
}

// List returns all figures, in the order in which the course meets them.
func List() []Info {
	var out []Info
	for _, e := range entries() {
		out = append(out, e.Info)
	}
	return out
}

// Make makes a figure. Its errors say what is missing or wrong, in a sentence.
func Make(ctx context.Context, name string, o Options) (*chart.Chart, error) {
	all := entries()
	i := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, e := range all {
			names[i] = e.Name
		}
		unknown := &RequestError{lang.T("there is no figure %q; want one of %s", name, strings.Join(names, ", "))}
		return nil, lang.DidYouMean(unknown, name, names...)
	}
	e := all[i]
	if err := o.check(e.Info); err != nil {
		return nil, err
	}
	if o.Prints == nil {
		o.Prints = io.Discard
	}
	c, err := e.make(ctx, o)
	if err != nil {
		return nil, err
	}
	c.Name = e.Name
	return c, nil
}

// check says what a figure needs and does not have.
func (o Options) check(i Info) error {
	ask := func(format string, args ...any) error { return &RequestError{lang.T(format, args...)} }
	switch {
	case i.Needs.Runs && len(o.Runs) == 0:
		return ask("the figure %s shows training runs; name their folders with --run DIR (to make one: go run ./cmd/grade train)", i.Name)
	case i.Needs.Model && len(o.Runs) != 1:
		return ask("the figure %s shows one trained model; name its folder with --run DIR (to make one: go run ./cmd/grade train)", i.Name)
	case i.Needs.Recalls && len(o.Runs) == 0:
		return ask("the figure %s shows models that have learnt to recall; name their folders with --run DIR (to make one: go run ./cmd/grade train --task recall)", i.Name)
	case i.Needs.File && o.File == "":
		return ask("the figure %s shows measurements; name the file that holds them with --data FILE", i.Name)
	case i.Needs.Code && o.Kit == nil:
		return ask("the figure %s runs the code of the steps and needs a checkout of the kit", i.Name)
	case i.Needs.Code && o.Impl != grader.Mine && o.Impl != grader.Solutions:
		return ask("--impl is %q; want mine or solutions", o.Impl)
	}
	return nil
}

// entries is the list of all figures.
func entries() []entry {
	plain := func(make func(Options) (*chart.Chart, error)) func(context.Context, Options) (*chart.Chart, error) {
		return func(_ context.Context, o Options) (*chart.Chart, error) { return make(o) }
	}
	runs := func(make func(lang.Printer, ...Run) (*chart.Chart, error)) func(context.Context, Options) (*chart.Chart, error) {
		return plain(ofRuns(make))
	}
	return []entry{
		{Info{"init", lang.T("draws of your step 01 against the density of the truncated normal"), Needs{Code: true}}, initialisation},
		{Info{"activations", lang.T("SiLU of your step 05 beside GELU and ReLU, with derivatives"), Needs{Code: true}}, activations},
		{Info{"rope", lang.T("angles of your step 06 by position and pair, and scores by distance"), Needs{Code: true}}, rope},
		{Info{"attention", lang.T("what each token attends to, by layer and head, in a trained model"), Needs{Model: true, Code: true}}, attention},
		{Info{"memory", lang.T("weights, activations and KV cache as the context grows"), Needs{}}, plain(memory)},
		{Info{"flops", lang.T("operations per token by part as the context grows"), Needs{}}, plain(flops)},
		{Info{"matmul", lang.T("GFLOP/s by size: plain loops, your step 11, the solution"), Needs{Code: true}}, matmul},
		{Info{"step", lang.T("where the time of a training step goes, and how near to the machine's limits"), Needs{File: true}}, plain(step)},
		{Info{"ladder", lang.T("GFLOP/s of a matrix product, change by change"), Needs{File: true}}, plain(ladder)},
		{Info{"loss", lang.T("training and validation loss against the text's entropy"), Needs{Runs: true}}, runs(Loss)},
		{Info{"compare", lang.T("validation losses of variants, each with its seeds and their mean"), Needs{Runs: true}}, runs(Compare)},
		{Info{"schedule", lang.T("learning rate by step"), Needs{Runs: true}}, runs(Schedule)},
		{Info{"gradnorm", lang.T("length of the gradient by step, before clipping"), Needs{Runs: true}}, runs(GradNorm)},
		{Info{"speed", lang.T("tokens per second by step"), Needs{Runs: true}}, runs(Speed)},
		{Info{"pace", lang.T("tokens per second by position, with the cache of your step 12 and without"), Needs{Model: true, Code: true}}, pace},
		{Info{"flash", lang.T("time and memory of your step 08 and your step 16, by the length of the text"), Needs{File: true}}, plain(flash)},
		{Info{"experts", lang.T("how the experts of your step 18 share the tokens, by layer and kind of character, as a model is trained"), Needs{Runs: true, Code: true}}, experts},
		{Info{"recall", lang.T("which part of what a text has told is found again, by the number of pairs, in models that have learnt to recall"), Needs{Recalls: true}}, plain(recall)},
		{Info{"translation", lang.T("what each character of a translation looks at in the source, by layer and head, in a model of your step 20"), Needs{File: true}}, plain(translation)},
		{Info{"misconceptions", lang.T("which known mistakes a class made"), Needs{File: true}}, plain(misconceptions)},
	}
}
