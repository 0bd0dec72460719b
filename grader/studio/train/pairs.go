package train

import (
	"context"
	"encoding/json"
	"io"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// pairsStep is the step that learns to write one text for another.
const pairsStep = "seq2seq"

// BuildPairs builds the program that learns a task of pairs of texts and translates. The
// errors are those of Build.
func BuildPairs(ctx context.Context, kit *workspace.Kit, source workspace.Source, outDir string) (binary string, err error) {
	step, err := stepNamed(pairsStep)
	if err != nil {
		return "", err
	}
	return BuildAround(ctx, kit, source, workspace.Build{Step: step.Folder, Package: "grader/programs/seq2seq"}, outDir)
}

// Translator lets the model of a folder write one text for another.
type Translator struct {
	run.Pairs
	Width int     // of the beam; 1 is greedy
	Alpha float64 // of the penalty of lengths

	talk   *Conversation
	encode func(text string) ([]int, error)
}

// NewTranslator returns one that is greedy. binary is what BuildPairs has built; what the
// student's code prints goes to prints.
func NewTranslator(binary, dir string, prints io.Writer) (*Translator, error) {
	c, err := run.OpenPairs(dir)
	if err != nil {
		return nil, err
	}
	t := &Translator{Pairs: c, Width: 1, talk: Converse(binary, dir, prints), encode: c.Source.Encoder()}
	t.talk.verb = "answer"
	return t, nil
}

// Close ends the program.
func (t *Translator) Close() { t.talk.Close() }

// Check returns an error if a text cannot be read: if it is empty, longer than any that was
// learnt from, or has characters of which there were none.
func (t *Translator) Check(text string) error {
	if text == "" {
		return lang.Errorf("the text is empty; want one of 1 to %d characters", t.Source.Longest)
	}
	ids, err := t.encode(text)
	if err != nil {
		return lang.Errorf("the text: %w", err)
	}
	if len(ids) > t.Source.Longest {
		return lang.Errorf("the text has %d characters, and the longest that the model has learnt from had %d; "+
			"choose a shorter one", len(ids), t.Source.Longest)
	}
	return nil
}

// Translation is what a model has written for a text, and what it looked at.
type Translation struct {
	Source string  `json:"source"`
	Target string  `json:"target"`
	Score  float64 `json:"score"` // Σ ln p over the penalty of the length
	Ended  bool    `json:"ended"` // else there was no more room

	// Attention is the weight of each character of the source for each of the target, behind
	// which the end stands: [layer][head][t][m].
	Attention [][][][]float32 `json:"attention,omitempty"`
}

// Translate returns what the model writes for a text. Its errors are those of Check, and
// those of a Conversation.
func (t *Translator) Translate(text string, attention bool) (Translation, error) {
	if err := t.Check(text); err != nil {
		return Translation{}, err
	}
	ids, err := t.encode(text)
	if err != nil {
		return Translation{}, err
	}
	room := t.Target.Longest + 10
	data, err := t.talk.put(run.Translate{Source: ids, Width: t.Width, Alpha: t.Alpha, Tokens: room, Attention: attention})
	if err != nil {
		return Translation{}, err
	}
	var w run.Translated
	if err := json.Unmarshal(data, &w); err != nil {
		return Translation{}, err
	}
	return Translation{text, t.Target.Decode(w.Tokens), w.Score, len(w.Tokens) < room, w.Attention}, nil
}

// PairsScore is how well texts were written that were kept back.
type PairsScore struct {
	Right, Asked     int
	Longest, OfThese int // right ones among those of the longest source, and how many there are
	BLEU             float64
}

// Score asks for n texts that were kept back, and compares with what is right character by
// character. A text that does not end is not right.
func (t *Translator) Score(ctx context.Context, n int) (s PairsScore, err error) {
	var candidates []string
	var references [][]string
	for _, p := range t.HeldOut(n) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		w, err := t.Translate(p.Source, false)
		if err != nil {
			return s, err
		}
		s.count(t.longest(p), w.Ended && w.Target == p.Target)
		candidates, references = append(candidates, w.Target), append(references, []string{p.Target})
	}
	s.BLEU = corpus.BLEU(candidates, references)
	return s, nil
}

// longest reports whether a source is as long as any.
func (t *Translator) longest(p corpus.Pair) bool { return len([]rune(p.Source)) == t.Source.Longest }

func (s *PairsScore) count(longest, right bool) {
	s.Asked++
	if right {
		s.Right++
	}
	if longest {
		s.OfThese++
	}
	if longest && right {
		s.Longest++
	}
}
