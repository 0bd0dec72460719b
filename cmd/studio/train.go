package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// trainOptions are the flags of `grade train`.
type trainOptions struct {
	impl   string
	config string
	corpus string
	tokens string
	steps  int
	out    string
	resume string
	with   []string
	groups int

	experts, chosen int // of a mixture; 0: not said

	seed  uint64
	bits  string
	plain bool

	portable bool

	task  string // "" for a language model
	asked int
}

func newTrain() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use: "train",
		Long: `Train builds a training program from the steps that you wrote, and nothing else,
and trains a language model with it. Everything about the run is kept in one
folder. Ctrl-C saves and stops; --resume goes on where it was, with the same
losses as if it had never stopped.

Configurations: tiny takes less than a minute, small some minutes, base hours;
or a JSON file like DIR/config.json's "model" and "recipe".
Texts: opticks is Newton's book, which comes with Go; village are stories from a
grammar whose exact entropy is known, so that you see how far the loss is from
the floor; villages are such stories in English and Chinese; or any UTF-8 file. A
token is a character, or with --tokenizer what your own step 14 has learnt.

With --precision bf16 the numbers of every matrix product are rounded to bfloat16,
which processors with AVX512_BF16 multiply faster; sums and parameters stay
float32. The kit's product is used, in place of your own.

With --task reversal or translation the model is the encoder and decoder of your step 20,
which learns to write one text for another: reversal writes up to twenty letters from the
last to the first, translation says sentences of the village in Chinese. One in eight texts
is kept back, and some of those are asked for at the end. grade translate lets the model
write.

With --task recall your language model, with what stands in it, learns to find again what a
text has told: a value for each of 4 to 32 keys, of which each is asked for. The loss is that
of the answers alone, and right answers are counted in texts that were kept back.

The same seed gives the same model on processors with the same instructions; with
AVX-512, AVX2 or NEON, sums are rounded in other places. With --portable all is
computed in plain Go, several times slower, and a model is the same on each of them.

MFU is the share of this machine's peak that the model's matrix products use.
The peak is what the kit's micro-kernel reaches on all cores, measured first.`,
		Example: `  go run ./cmd/grade train
  go run ./cmd/grade train --config small --corpus village --out runs/village
  go run ./cmd/grade train --resume runs/village
  go run ./cmd/grade train --task reversal --out runs/reversal
  go run ./cmd/grade train --task recall --with window`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return trainModel(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.StringVar(&o.config, "config", "tiny", "tiny, small, base or a JSON `FILE`")
	f.StringVar(&o.corpus, "corpus", corpus.OpticksName, "opticks, village, villages or the `PATH` of a text file")
	f.StringVar(&o.tokens, "tokenizer", "characters", "what a token is: characters, or bpe:DIR as grade tokenize has learnt them")
	f.IntVar(&o.steps, "steps", 0, "optimisation steps, instead of the configuration's")
	f.StringVar(&o.out, "out", "", "a new folder `DIR` for the run (default runs/CONFIG-CORPUS, numbered)")
	f.StringVar(&o.resume, "resume", "", "go on with the run in `DIR`")
	f.StringSliceVar(&o.with, "with", nil, withUsage)
	f.IntVar(&o.experts, "experts", 0, "with moe: `E` experts, each as wide as d_ff (default 8)")
	f.IntVar(&o.chosen, "experts-per-token", 0, "with moe: `K` experts for every token (default 2)")
	f.IntVar(&o.groups, "kv-heads", 0, "with gqa: `N` heads of keys and values, a divisor of the heads (default half of them)")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the first weights and of the batches")
	f.StringVar(&o.bits, "precision", "f32", "of the numbers that are multiplied: f32, or bf16 for half the bits")
	f.BoolVar(&o.portable, "portable", false, "plain Go alone: slower, and the same numbers on every processor")
	f.BoolVar(&o.plain, "plain", false, "no bar, only lines that stay")
	f.StringVar(&o.task, "task", "", "train on a task: `reversal` or translation, an encoder and decoder; or recall")
	f.IntVar(&o.asked, "asked", 500, "with --task reversal or translation: how many held-out texts to ask for at the end")
	return cmd
}

func (o trainOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("steps") && o.steps < 1 {
		return lang.Errorf("--steps is %d; want at least 1", o.steps)
	}
	if err := o.checkTask(cmd); err != nil {
		return err
	}
	if _, err := o.learned(); err != nil {
		return err
	}
	if o.bits != "f32" && o.bits != run.BF16 {
		return lang.Errorf("--precision is %q; want f32 or bf16", o.bits)
	}
	for _, name := range []string{"config", "corpus", "steps", "out", "seed", "with", "tokenizer", "kv-heads", "experts", "experts-per-token", "precision", "portable"} {
		if o.resume != "" && cmd.Flags().Changed(name) {
			return lang.Errorf("--resume goes on with the settings of the run; it cannot be combined with --%s", name)
		}
	}
	return nil
}

// learned returns the folder of learnt tokens, "" for characters.
func (o trainOptions) learned() (dir string, err error) {
	dir, learned := strings.CutPrefix(o.tokens, "bpe:")
	if !learned && o.tokens != "characters" || learned && dir == "" {
		return "", lang.Errorf("--tokenizer is %q; want characters, or bpe: and a folder that grade tokenize has made", o.tokens)
	}
	if !learned {
		return "", nil
	}
	return dir, nil
}

// trainModel starts or continues a run and shows how it goes.
func trainModel(cmd *cobra.Command, o trainOptions) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	if _, err := command.SourceOf(kit, o.impl); err != nil {
		return err
	}
	if cmd.Flags().Changed("task") {
		return trainTask(cmd, o)
	}
	model, prepare, err := o.plan(cmd)
	if err != nil {
		return err
	}
	p := command.Speaker(cmd)
	p.Tell(cmd.OutOrStdout(), "Building the training program from %s\n", run.CodeOf(o.impl))
	if len(model.With) > 0 {
		p.Tell(cmd.OutOrStdout(), "In it stand %s\n", strings.Join(model.With, ", "))
	}
	binary, remove, err := program.Build(cmd.Context(), kit, o.impl, model)
	if err != nil {
		return err
	}
	defer remove()
	dir, claim, err := prepare()
	if err != nil {
		return err
	}
	begun, err := follow(cmd, o, binary, dir)
	if err != nil && !begun && claim != nil {
		return errors.Join(err, claim.Undo())
	}
	return err
}

// plan returns what is to be done before the run can begin, once the training
// program for the model is built: it gives the run's folder, and the claim to it if
// it is new.
func (o trainOptions) plan(cmd *cobra.Command) (model run.Model, prepare func() (dir string, claim *run.Claim, err error), err error) {
	if o.resume != "" {
		c, err := run.Open(o.resume)
		if err == nil && c.Corpus == "" {
			err = lang.Errorf("%s holds a model that came from elsewhere; it cannot be trained", o.resume)
		}
		if err == nil {
			err = c.CheckData(o.resume)
		}
		return c.Model, func() (string, *run.Claim, error) { return o.resume, nil, nil }, err
	}
	s, err := run.Load(o.config)
	if err != nil {
		return run.Model{}, nil, err
	}
	if s.Model.With, err = standIns(append(s.Model.With, o.with...)); err != nil {
		return run.Model{}, nil, err
	}
	o.group(&s.Model)
	o.mix(&s)
	if err := s.Model.Validate(); err != nil {
		return run.Model{}, nil, err
	}
	s.Model.Portable = s.Model.Portable || o.portable
	if o.steps > 0 {
		s.Recipe.Steps = o.steps
	}
	if o.bits == run.BF16 {
		s.Recipe.Precision = run.BF16
	}
	if o.out != "" {
		if err := run.Vacant(o.out); err != nil {
			return run.Model{}, nil, err
		}
	}
	text, err := corpus.Load(o.corpus)
	if unknown := new(corpus.UnknownError); errors.As(err, &unknown) {
		err = lang.DidYouMean(err, unknown.Name, corpus.Names()...)
	}
	return s.Model, func() (string, *run.Claim, error) {
		source, done, err := o.text(cmd, text)
		if err != nil {
			return "", nil, err
		}
		defer done()
		claim, err := o.claim()
		if err != nil {
			return "", nil, err
		}
		return claim.Dir, claim, program.Explain(claim.Fill(source, o.seed, s))
	}, err
}

// text is what a run learns from, with the tokens that are asked for. done removes what
// was made for them.
func (o trainOptions) text(cmd *cobra.Command, text string) (_ run.Text, done func(), err error) {
	t := run.Text{Corpus: o.corpus, Text: text}
	dir, err := o.learned()
	if dir == "" || err != nil {
		return t, func() {}, err
	}
	coder, err := coding(cmd, o.impl)()
	if err != nil {
		return t, nil, program.Explain(err)
	}
	if t.Tokens, err = coder.Open(dir); err != nil {
		return t, nil, errors.Join(program.Explain(err), coder.Close())
	}
	return t, func() { coder.Close() }, nil
}

// group says how many heads of keys and values the model has: as many as are asked
// for, or half of the heads where grouped queries are in it and nobody has said.
func (o trainOptions) group(m *run.Model) {
	switch {
	case o.groups != 0:
		m.NumKVHeads = o.groups
	case m.NumKVHeads == 0 && slices.Contains(m.With, "gqa"):
		m.NumKVHeads = max(1, m.NumHeads/2)
		if m.NumHeads%m.NumKVHeads != 0 {
			m.NumKVHeads = 1
		}
	}
}

// mix says how many experts the model has: as many as are asked for, or the usual ones
// where a mixture is in it and nobody has said.
func (o trainOptions) mix(s *run.Settings) {
	x := &s.Model.Experts
	if x.NumExperts == 0 && (o.experts != 0 || slices.Contains(s.Model.With, "moe")) {
		*x = run.UsualExperts()
	}
	if o.experts != 0 {
		x.NumExperts = o.experts
	}
	if o.chosen != 0 {
		x.ExpertsPerToken = o.chosen
	}
	if x.NumExperts > 0 {
		x.TokensPerUpdate = s.Recipe.Batch * s.Model.ContextLength
	}
}

// withUsage says what --with takes.
const withUsage = "electives that stand in for parts of the model: `NAME,...` of a step, or its number, or of a part of step 19, such as gelu, gpt2 or 2017"

// standIns returns the names of the packages of electives that stand in a model.
func standIns(given []string) (names []string, err error) {
	guests, err := train.StandIns(run.Model{With: given})
	for _, g := range guests {
		if g.Generates() {
			return nil, lang.Errorf("--with %s: a model with it only generates, for it has no derivative; train without it, and then run go run ./cmd/grade quantize", g.Name)
		}
		names = append(names, g.Name)
	}
	return names, err
}

// claim makes the folder of a new run.
func (o trainOptions) claim() (*run.Claim, error) {
	if o.out != "" {
		return run.New(o.out)
	}
	return run.NewNumbered(filepath.Join("runs", stem(o.config)+"-"+stem(o.corpus)))
}

// stem is the name of a file without folder and ending.
func stem(path string) string {
	base := filepath.Base(path)
	return base[:len(base)-len(filepath.Ext(base))]
}

// follow runs the training program and shows what it reports. begun tells
// whether it came as far as a first step.
func follow(cmd *cobra.Command, o trainOptions, binary, dir string) (begun bool, err error) {
	c, err := run.Open(dir)
	if err != nil {
		return false, err
	}
	out := cmd.OutOrStdout()
	view := &train.View{Out: out, Live: !o.plain && terminal.Live(out, os.Getenv), Columns: terminal.Columns(out), Steps: c.Recipe.Steps, Peak: train.Peak(c.Recipe)}
	command.Speaker(cmd).Tell(out, "Training on %s in %s\n", c.Corpus, dir)
	if floor := corpus.Entropy(c.Corpus); floor > 0 && ofCharacters(dir) {
		view.Floor = floor
		command.Speaker(cmd).Tell(out, "The text has an entropy of %.4f nats per character: no model can have a smaller expected loss\n", view.Floor)
	}
	ctx := cmd.Context()
	defer context.AfterFunc(ctx, func() {
		signal.Reset(os.Interrupt, syscall.SIGTERM) // a second Ctrl-C does not wait
		view.Note(command.Speaker(cmd).Say("Saving; press Ctrl-C again to stop at once"))
	})()
	saved := 0
	err = train.Train(ctx, binary, dir, o.impl, view, func(e run.Event) {
		view.Show(e)
		switch {
		case e.Step != nil:
			begun = begun || e.Step.Step > 0
		case e.Saved != nil:
			saved = e.Saved.Step
		}
	})
	view.Clear()
	switch {
	case err != nil:
		return begun, program.Explain(err)
	case saved < c.Recipe.Steps:
		command.Speaker(cmd).Tell(out, "Stopped after step %d; everything is saved. To go on:\n  go run ./cmd/grade train --resume %s\n", saved, lang.Argument(dir))
	default:
		command.Speaker(cmd).Tell(out, "Finished after %d steps. To let it write:\n  go run ./cmd/grade generate %s\n", saved, lang.Argument(dir))
		command.Speaker(cmd).Tell(out, "To look into it:\n  go run ./cmd/grade explore %s\n", lang.Argument(dir))
	}
	return true, nil
}

// ofCharacters reports whether each character is a token of a run: in nats a token,
// a loss has then the unit of the text's entropy.
func ofCharacters(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, tokenizer.AlphabetFile))
	return err == nil
}
