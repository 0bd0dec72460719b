// Package explore shows a model under glass: a page in the browser, served on this
// machine only, on which one sees how a text goes through the student's own model.
//
// All that the page shows comes from the program that runs the student's code, see
// package inside; the page asks, and draws the answers. A View holds the answers
// about one text: it is what the command line prints as JSON, and what a frozen page
// carries instead of asking.
package explore

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// Asker answers questions about a model: a train.Conversation.
type Asker interface {
	Ask(q inside.Question) (json.RawMessage, error)
}

// Model is a model that can be asked about.
type Model struct {
	Description
	Asker  Asker // what answers
	tokens tokenizer.Tokenizer
}

// Description is what a page says of a model before anything was asked.
type Description struct {
	Name      string   `json:"name"` // of its folder
	Corpus    string   `json:"corpus"`
	Trainer   string   `json:"trainer"` // whose code has trained it: mine, solutions, both; "": not known
	Code      string   `json:"code"`    // whose code answers: mine or solutions
	Layers    int      `json:"layers"`
	Heads     int      `json:"heads"`
	Width     int      `json:"d_model"`
	Hidden    int      `json:"d_ff"`
	Context   int      `json:"context"`
	With      []string `json:"with"`      // electives that stand in it
	Vocab     []string `json:"vocab"`     // the text of each token
	Token     string   `json:"token"`     // what a token is: a character, or a piece of text
	Stop      int      `json:"stop"`      // the token that ends a text; −1: none
	Snapshots []int    `json:"snapshots"` // the steps whose parameters are there
	Text      string   `json:"text"`      // to begin with
}

// Open describes the model of a run's folder. open returns the tokenizer of a folder,
// for a model of vocab tokens.
func Open(dir string, open func(dir string, vocab int) (tokenizer.Tokenizer, error)) (*Model, error) {
	c, err := run.Open(dir)
	if err != nil {
		return nil, err
	}
	tokens, err := open(dir, c.VocabSize)
	if err != nil {
		return nil, err
	}
	snapshots, err := run.Snapshots(dir)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	m := &Model{tokens: tokens, Description: Description{Name: filepath.Base(path), Corpus: filepath.Base(c.Corpus), Trainer: c.Impl(),
		Layers: c.Model.NumLayers, Heads: c.Model.NumHeads, Width: c.Model.DModel, Hidden: c.Model.DFF, Context: c.Model.ContextLength,
		With: append([]string{}, c.Model.With...), Token: "character", Stop: tokens.Stop(),
		Snapshots: append([]int{}, snapshots...)}}
	if _, one := tokens.(tokenizer.Characters); !one {
		m.Token = "piece"
	}
	if c.Corpus == "" {
		m.Corpus = ""
	}
	for id := range c.VocabSize {
		text, err := tokens.Decode([]int{id})
		if err != nil {
			return nil, err
		}
		if !utf8.ValidString(text) { // a part of a character
			text = fmt.Sprintf("<%X>", text)
		}
		m.Vocab = append(m.Vocab, text)
	}
	m.Text, err = m.first(dir)
	return m, err
}

// firstCharacters is how long the text is that a page begins with, at most.
const firstCharacters = 120

// first returns a text to begin with: some of the validation text, which the model has
// not learnt from, from the beginning of a sentence to the end of a word.
func (m *Model) first(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, run.ValidationFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "Once upon a time", nil
	}
	if err != nil {
		return "", err
	}
	var ids []int
	for at := 0; at+1 < len(data) && at < 2000; at += 2 {
		ids = append(ids, int(binary.LittleEndian.Uint16(data[at:])))
	}
	text, err := m.tokens.Decode(ids)
	if begin := strings.Index(text, ". "); begin >= 0 {
		text = text[begin+2:]
	}
	runes := []rune(text)
	runes = runes[:min(len(runes), m.Context, firstCharacters)]
	for end := len(runes) - 1; end > len(runes)/2; end-- {
		if unicode.IsSpace(runes[end]) {
			return string(runes[:end]), err
		}
	}
	return string(runes), err
}

// Encode returns the tokens of a text. It is an error if the model does not know some
// of its characters.
func (m *Model) Encode(text string) ([]int, error) {
	ids, err := m.tokens.Prompt(text)
	if err != nil {
		return nil, lang.Errorf("the text: %w", err)
	}
	return ids, nil
}

// ask puts a question and reads the answer.
func ask[Answer any](m *Model, q inside.Question) (answer Answer, err error) {
	data, err := m.Asker.Ask(q)
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(data, &answer)
}

// State is what a page shows of a model: a text, and how it is read.
type State struct {
	IDs         []int    `json:"ids"`
	Off         []string `json:"off"`
	Snapshot    *int     `json:"snapshot"`
	At          int      `json:"at"` // the token that is looked at; 0: one that surprised
	Temperature float64  `json:"temperature"`
	TopP        float64  `json:"top_p"`
}

// View is all that a page shows of a text.
type View struct {
	Model Description `json:"model"`
	State
	Reading   inside.Reading   `json:"reading"`
	Whole     inside.Reading   `json:"whole"`  // with no part left out
	Places    []inside.Place   `json:"places"` // of tokens 1 to T
	Attention []inside.Weights `json:"attention"`
	Without   [][]inside.Loss  `json:"without"` // by layer
	History   []inside.Reading `json:"history"` // after each of the snapshots
}

// View asks for all that a page shows. A text that is longer than the model's context
// is cut to its end.
func (m *Model) View(s State) (*View, error) {
	s.IDs = s.IDs[max(0, len(s.IDs)-m.Context):]
	s.Off = append([]string{}, s.Off...)
	v := &View{Model: m.Description, State: s}
	q := inside.Question{Ask: inside.Read, IDs: s.IDs, Off: s.Off, Snapshot: s.Snapshot, Temperature: s.Temperature, TopP: s.TopP}
	var err error
	if v.Reading, err = ask[inside.Reading](m, q); err != nil {
		return nil, err
	}
	if v.At == 0 {
		v.At = surprising(v.Reading.Surprise)
	}
	for at := range s.IDs {
		q.Ask, q.At = inside.Look, at+1
		place, err := ask[inside.Place](m, q)
		if err != nil {
			return nil, err
		}
		v.Places = append(v.Places, place)
	}
	if err := m.byLayer(v, q); err != nil {
		return nil, err
	}
	q.Ask, q.Off = inside.Read, nil
	if v.Whole, err = ask[inside.Reading](m, q); err != nil {
		return nil, err
	}
	return v, m.history(v, q)
}

// surprising returns the token in the second half of a text that surprised most, or
// what comes next if there is none.
func surprising(surprise []float64) int {
	best := len(surprise)/2 + 1
	for at := best; at <= len(surprise); at++ {
		if surprise[at-1] > surprise[best-1] {
			best = at
		}
	}
	return best
}

// byLayer fills in what is asked for layer by layer.
func (m *Model) byLayer(v *View, q inside.Question) error {
	for q.Layer = 1; q.Layer <= m.Layers; q.Layer++ {
		q.Ask = inside.Attention
		weights, err := ask[inside.Weights](m, q)
		if err != nil {
			return err
		}
		v.Attention = append(v.Attention, weights)
	}
	for q.Layer = 1; q.Layer <= m.Layers; q.Layer++ {
		q.Ask = inside.Without
		without, err := ask[[]inside.Loss](m, q)
		if err != nil {
			return err
		}
		v.Without = append(v.Without, without)
	}
	return nil
}

// history fills in how well the text was foretold after each snapshot.
func (m *Model) history(v *View, q inside.Question) error {
	q.Ask, q.Off = inside.Read, v.Off
	for _, step := range m.Snapshots {
		q.Snapshot = &step
		r, err := ask[inside.Reading](m, q)
		if err != nil {
			return err
		}
		v.History = append(v.History, r)
	}
	return nil
}

// Check returns an error that names what a state cannot be.
func (m *Model) Check(s State) error {
	if read := min(len(s.IDs), m.Context); s.At < 0 || s.At > read {
		return lang.Errorf("--at is %d; the text has %d tokens, of which those from 1 on were foretold", s.At, read)
	}
	if err := train.CheckSampling(s.Temperature, s.TopP); err != nil {
		return err
	}
	known := inside.AllParts(m.Layers, m.Heads)
	for _, part := range s.Off {
		if !slices.Contains(known, part) {
			return lang.DidYouMean(lang.Errorf("the model has no part %q; want one such as %s", part,
				"layer1.head1, layer1.attention, layer1.ffn, layer1"), part, known...)
		}
	}
	if s.Snapshot != nil {
		return m.checkSnapshot(*s.Snapshot)
	}
	return nil
}

// checkSnapshot returns an error if a run has not kept the parameters after a step.
func (m *Model) checkSnapshot(step int) error {
	if slices.Contains(m.Snapshots, step) {
		return nil
	}
	if len(m.Snapshots) == 0 {
		return lang.Errorf("%s has no snapshots: it was trained by an earlier version, or elsewhere", m.Name)
	}
	return lang.Errorf("%s has no snapshot of step %d; there are: %v", m.Name, step, m.Snapshots)
}
