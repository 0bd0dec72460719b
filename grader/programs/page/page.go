// Command page is what a page of `grade publish` runs: a model that is made of a
// student's steps, compiled to WebAssembly. It has no folder and no step 11: it is given
// the parameters, and multiplies with the kit's product.
//
// Outside of a browser it does the same with its standard input and output, for tests:
//
//	page MODEL.json PARAMETERS.safetensors
//
// reads requests, one JSON object a line, and writes an answer for each.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/programs/answers"
	"github.com/stubformer/stubformer/grader/programs/fresh"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// request is what the page asks for. The paths are those of the server of grade explore.
type request struct {
	Path     string          `json:"path"`
	Body     json.RawMessage `json:"body"`
	Language string          `json:"language"`
}

// answer is what it is told: an answer, or why there is none.
type answer struct {
	Answer any    `json:"answer,omitempty"`
	Error  string `json:"error,omitempty"`
}

// page answers requests.
type page struct {
	model   *lm.LM
	answers *answers.Answerer
	tokens  tokenizer.Tokenizer
}

// open makes a page of the model that a program is given, and of its parameters as a
// .safetensors file.
func open(described, parameters []byte) (*page, error) {
	var given inside.Model
	if err := json.Unmarshal(described, &given); err != nil {
		return nil, err
	}
	tokens, err := tokenizer.Of("", given.Tokenizer, given.Vocab)
	if err != nil {
		return nil, err
	}
	p := &page{tokens: tokens}
	p.answers, err = answers.New(func(*int) (*lm.LM, error) {
		params, err := weights.ReadSafetensors(bytes.NewReader(parameters), int64(len(parameters)))
		if err != nil {
			return nil, err
		}
		p.model = fresh.Model(lm.Config{VocabSize: given.Vocab, ContextLength: given.Context, DModel: given.Width,
			NumLayers: given.Layers, NumHeads: given.Heads, DFF: given.Hidden, RopeTheta: given.Theta}, params)
		return p.model, p.model.LoadState(params)
	})
	return p, err
}

// serve answers one request.
func (p *page) serve(r request) answer {
	a, err := p.do(r)
	if err != nil {
		speaker, _ := lang.For(r.Language) // English where there is no such language
		return answer{Error: speaker.Error(err)}
	}
	return answer{Answer: a}
}

func (p *page) do(r request) (any, error) {
	switch r.Path {
	case "/api/tokens":
		var text string
		if err := json.Unmarshal(r.Body, &text); err != nil {
			return nil, err
		}
		ids, err := p.tokens.Prompt(text)
		if err != nil {
			return nil, lang.Errorf("the text: %w", err)
		}
		return ids, nil
	case "/api/text":
		var ids []int
		if err := json.Unmarshal(r.Body, &ids); err != nil {
			return nil, err
		}
		return p.tokens.Decode(ids)
	case "/api/logits": // for whoever compares them
		var ids []int
		if err := json.Unmarshal(r.Body, &ids); err != nil {
			return nil, err
		}
		logits, err := answers.Logits(p.model, ids)
		if err != nil {
			return nil, err
		}
		return logits.Data, nil
	case "/api/ask":
		var q inside.Question
		if err := json.Unmarshal(r.Body, &q); err != nil {
			return nil, err
		}
		q.Stop, q.Snapshot = p.tokens.Stop(), nil
		return p.answers.Answer(q)
	}
	return nil, fmt.Errorf("there is no %s here", r.Path)
}
