package train

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// tuneStep is the step that fine-tuning runs, and linearStep the one whose layer has an
// adapter beside it then.
const (
	tuneStep   = "lora"
	linearStep = "linear"
)

// beside is the constructor of a Linear with an adapter that adds nothing, until another
// one is loaded. A replica of the model has such a layer too: adapters are loaded after it
// is made.
const beside = `func(weight *tensor.Param) *standin.Linear {
	out, in := weight.Value.Dim(0), weight.Value.Dim(1)
	a, b := tensor.NewParam("lora_A", tensor.New(1, in)), tensor.NewParam("lora_B", tensor.New(out, 1))
	return standin.New(weight, a, b, 1)
}`

// BuildTuner builds the program that fine-tunes a model and lets it answer. With adapters
// the layer of step 17 stands in the place of that of step 02, in the whole model. The
// errors are those of Build.
func BuildTuner(ctx context.Context, kit *workspace.Kit, source workspace.Source, model run.Model, adapters bool,
	outDir string) (binary string, err error) {
	step, err := stepNamed(tuneStep)
	if err != nil {
		return "", err
	}
	linear, err := stepNamed(linearStep)
	if err != nil {
		return "", err
	}
	with, err := StandIns(model)
	if err != nil {
		return "", err
	}
	for _, g := range with {
		if g.Generates() {
			return "", lang.Errorf("with %s the model only generates, for it has no derivative; "+
				"fine-tune the model that it was made from", g.Name)
		}
	}
	guests, err := Seats(model)
	if err != nil {
		return "", err
	}
	if adapters {
		guests = append(guests, workspace.StandIn{Folder: step.Folder, For: linear.Folder,
			Names: []string{"Linear", "New"}, Instead: map[string]string{"New": beside}})
	}
	return BuildAround(ctx, kit, source, workspace.Build{Step: step.Folder, Package: "grader/programs/finetune",
		With: guests, Portable: model.Portable}, outDir)
}

// Template says how a question about a story becomes a prompt, and what ends an answer.
type Template struct {
	Prompt string // with {story} and {question}
	End    string // one token
}

// UsualTemplate is the one that is used where no other is asked for.
func UsualTemplate() Template { return Template{Prompt: "{story}\n{question}\n", End: "\n"} }

// Fill returns the prompt of a question. Where there is no story, what stands before the
// question is left out.
func (t Template) Fill(story, question string) string {
	prompt := t.Prompt
	if story == "" {
		prompt = strings.TrimLeft(strings.Replace(prompt, "{story}", "", 1), "\n ")
	}
	return strings.NewReplacer("{story}", story, "{question}", question).Replace(prompt)
}

// Tongue turns questions into the tokens of a model and answers back into text.
type Tongue struct {
	Template
	tokens  tokenizer.Tokenizer
	end     int
	context int
}

// NewTongue returns that of the model in a folder. It is an error if the template has no
// {question}, or the end is not one token of the model.
func NewTongue(dir string, t Template, coding Coding) (*Tongue, error) {
	c, err := run.Open(dir)
	if err == nil {
		err = HasModel(dir)
	}
	if err != nil {
		return nil, err
	}
	if !strings.Contains(t.Prompt, "{question}") {
		return nil, lang.Errorf("the template is %q; want one in which {question} stands, and {story} if there are stories",
			t.Prompt)
	}
	tokens, err := OpenTokenizer(dir, c.VocabSize, coding)
	if err != nil {
		return nil, err
	}
	end, err := tokens.Prompt(t.End)
	if err != nil {
		return nil, lang.Errorf("the end of an answer: %w", err)
	}
	if t.End == "" || len(end) != 1 {
		return nil, lang.Errorf("the end of an answer is %q, %d tokens of this model; want a text that is one",
			t.End, len(end))
	}
	return &Tongue{t, tokens, end[0], c.Model.ContextLength}, nil
}

// samples returns questions as what is learnt from.
func (t *Tongue) samples(questions []corpus.Question) ([]run.Sample, error) {
	all := make([]run.Sample, len(questions))
	for i, q := range questions {
		prompt, err := t.tokens.Prompt(t.Fill(q.Story, q.Question))
		if err != nil {
			return nil, lang.Errorf("the questions: %w; train the model with: go run ./cmd/grade train --corpus villages",
				err)
		}
		answer, err := t.tokens.Prompt(q.Answer)
		if err != nil {
			return nil, lang.Errorf("the answers: %w", err)
		}
		if n := len(prompt) + len(answer); n > t.context {
			return nil, lang.Errorf("a question with its answer has %d tokens, and the model reads %d at once; "+
				"want a context_length of 256", n, t.context)
		}
		all[i] = run.Sample{Prompt: prompt, Answer: answer}
	}
	return all, nil
}

// Lesson is what a model is to learn, but for the examples.
type Lesson struct {
	Rank  int // of the adapters; 0: all parameters
	Alpha float64
	Steps int
	Batch int
	LR    float64
	Seed  uint64
}

// Check returns an error that says what cannot be.
func (l Lesson) Check() error {
	switch {
	case l.Rank < 0:
		return lang.Errorf("the rank is %d; want at least 1", l.Rank)
	case l.Rank > 0 && !(l.Alpha > 0):
		return lang.Errorf("alpha is %g; want a number above 0", l.Alpha)
	case l.Steps < 1:
		return lang.Errorf("--steps is %d; want at least 1", l.Steps)
	case l.Batch < 1:
		return lang.Errorf("--batch is %d; want at least 1", l.Batch)
	case !(l.LR > 0 && l.LR <= 1):
		return lang.Errorf("the learning rate is %g; want a number above 0 and at most 1", l.LR)
	}
	return nil
}

// Learn fine-tunes the model of a folder on questions, and writes what was trained to the
// file out: adapters alone, or all parameters. work is a folder for files on the way.
// What the student's code prints goes to prints. Its errors are those of Run.
func (t *Tongue) Learn(ctx context.Context, binary, dir string, l Lesson, questions []corpus.Question, out, work string,
	prints io.Writer, watch func(run.Event)) (run.Tuned, error) {
	examples, err := t.samples(questions)
	if err != nil {
		return run.Tuned{}, err
	}
	job := run.Job{Examples: examples, End: t.end, Rank: l.Rank, Alpha: l.Alpha, Steps: l.Steps, Batch: l.Batch,
		Warmup: l.Steps / 20, LR: l.LR, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, MaxNorm: 1, Seed: l.Seed, Out: out}
	data, err := json.Marshal(job)
	if err != nil {
		return run.Tuned{}, err
	}
	file := filepath.Join(work, "job.json")
	if err := whole.Write(file, data); err != nil {
		return run.Tuned{}, err
	}
	var tuned run.Tuned
	err = Run(ctx, binary, []string{"learn", dir, file}, prints, func(e run.Event) {
		if e.Tuned != nil {
			tuned = *e.Tuned
		}
		watch(e)
	})
	if err == nil && tuned.Params == 0 {
		err = ctx.Err() // it was asked to stop
	}
	return tuned, err
}

// Answerer lets the model of a folder answer.
type Answerer struct {
	*Tongue
	talk    *Conversation
	Adapter string // the file of the one that is in the model; "": none
	Merged  bool
}

// NewAnswerer returns one. binary is what BuildTuner has built.
func (t *Tongue) NewAnswerer(binary, dir string, prints io.Writer) *Answerer {
	c := Converse(binary, dir, prints)
	c.verb = "answer"
	return &Answerer{Tongue: t, talk: c}
}

// Close ends the program.
func (a *Answerer) Close() { a.talk.Close() }

// longest is how many tokens an answer may have.
const longest = 60

// Answer returns what the model answers, and whether it has ended its answer.
func (a *Answerer) Answer(story, question string) (text string, stops bool, err error) {
	prompt, err := a.tokens.Prompt(a.Fill(story, question))
	if err != nil {
		return "", false, lang.Errorf("the question: %w", err)
	}
	ids, err := a.Write(run.Generation{Prompt: prompt, Tokens: longest, TopP: 1, Stop: a.end})
	if err != nil {
		return "", false, err
	}
	if n := len(ids); n > 0 && ids[n-1] == a.end {
		ids, stops = ids[:n-1], true
	}
	text, err = a.tokens.Decode(ids)
	return text, stops, err
}

// Write returns the tokens that follow a prompt, the stop token with them.
func (a *Answerer) Write(g run.Generation) ([]int, error) {
	data, err := a.talk.put(run.Ask{Generation: g, Adapter: a.Adapter, Merged: a.Merged})
	if err != nil {
		return nil, err
	}
	var ids []int
	return ids, json.Unmarshal(data, &ids)
}

// Score is how well questions were answered.
type Score struct{ Right, Stopped, Asked int }

// Score asks questions, and compares with their answers letter by letter. An answer that
// does not end is not right.
func (a *Answerer) Score(ctx context.Context, questions []corpus.Question) (Score, error) {
	s := Score{Asked: len(questions)}
	for _, q := range questions {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		text, stops, err := a.Answer(q.Story, q.Question)
		if err != nil {
			return s, err
		}
		if stops {
			s.Stopped++
		}
		if stops && text == q.Answer {
			s.Right++
		}
	}
	return s, nil
}

// IsAdapter returns an error unless a file can be that of an adapter.
func IsAdapter(file string) error {
	if filepath.Ext(file) != ".safetensors" {
		return lang.Errorf("%s: want a file of an adapter, which ends in .safetensors", file)
	}
	f, err := open(file)
	if err != nil {
		return err
	}
	return f.Close()
}

// SaveTuned makes the folder out of a model like that of dir with the parameters of a file.
func SaveTuned(file, dir, out string) error {
	_, err := ImportState(file, dir, out)
	return err
}

// Passage returns the one of several texts that has most in common with a question: each
// word that both have counts the more, the fewer texts have it. It is "" if none has any.
func Passage(texts []string, question string) (best string) {
	of, in := make([]map[string]bool, len(texts)), map[string]int{}
	for i, text := range texts {
		of[i] = wordsOf(text)
		for word := range of[i] {
			in[word]++
		}
	}
	most := 0.0
	for i, text := range texts {
		sum := 0.0
		for _, word := range slices.Sorted(maps.Keys(wordsOf(question))) {
			if of[i][word] {
				sum += 1 / float64(in[word])
			}
		}
		if sum > most {
			best, most = text, sum
		}
	}
	return best
}

// wordsOf returns the words of a text in small letters. In Chinese, which writes none apart,
// they are pairs of neighbouring characters.
func wordsOf(text string) map[string]bool {
	found := map[string]bool{}
	for _, run := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		letters := []rune(run)
		if !unicode.Is(unicode.Han, letters[0]) {
			found[run] = true
			continue
		}
		for i := range len(letters) - 1 {
			found[string(letters[i:i+2])] = true
		}
	}
	return found
}

// Notes returns the paragraphs of a file.
func Notes(file string) ([]string, error) {
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	f.Close()
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, p := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			found = append(found, p)
		}
	}
	if found == nil {
		return nil, lang.Errorf("%s is empty; want notes, with an empty line between them", file)
	}
	return found, nil
}

// Unquoted returns the template with new lines for \n, as it is written on a command line.
func (t Template) Unquoted() Template {
	lines := strings.NewReplacer(`\n`, "\n")
	return Template{lines.Replace(t.Prompt), lines.Replace(t.End)}
}

// CopyAdapter writes the adapter of a file to another one, whole, and makes its folder.
func CopyAdapter(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return whole.Write(to, data)
}
