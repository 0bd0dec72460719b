// Package inside is what can be asked about a model while it reads a text, and
// what it answers: grade explore asks, the program with the student's code
// answers.
//
// Letters: T tokens of the text, L layers, H heads. Tokens are counted from 0,
// layers and heads from 1.
package inside

import (
	"fmt"
	"slices"
)

// The verbs of a Question, with what each is answered with.
const (
	Read      = "read"      // Reading
	Look      = "look"      // Place: what the model thinks at one token
	Attention = "attention" // Weights of one layer
	Without   = "without"   // []Loss: each part of one layer is left out in turn
	Write     = "write"     // Written: the tokens that follow
)

// Question is a question about a text.
type Question struct {
	Ask      string   `json:"ask"`
	IDs      []int    `json:"ids"`                // the text; but for Write at most as long as the model's context
	Off      []string `json:"off,omitempty"`      // the parts that are left out, see Parts
	Snapshot *int     `json:"snapshot,omitempty"` // the step after which; nil: the model as it is

	At          int     `json:"at,omitempty"`          // Look: the token that was foretold, 1 to T
	Layer       int     `json:"layer,omitempty"`       // Attention, Without: 1 to L
	Temperature float64 `json:"temperature,omitempty"` // Look, Write
	TopP        float64 `json:"top_p,omitempty"`       // Look, Write
	Tokens      int     `json:"tokens,omitempty"`      // Write: at most
	Stop        int     `json:"stop,omitempty"`        // Write: the token that ends a text; −1: none
	Seed        uint64  `json:"seed,omitempty"`        // Write
}

// Reading is how well a text was foretold.
type Reading struct {
	Loss     float64   `json:"loss"`     // the mean surprise, in nats; 0 if there is none
	Surprise []float64 `json:"surprise"` // −log p of the tokens from 1 on, T−1 of them
}

// Guess is a token and its probability.
type Guess struct {
	ID  int     `json:"id"`
	P   float64 `json:"p"`
	Raw float64 `json:"raw,omitempty"` // Expected: P at temperature 1, of all tokens
}

// Place is what the model thinks when it has read the tokens before one.
type Place struct {
	Expected []Guess `json:"expected"`         // what would be drawn, the likeliest first; at most Guesses
	Rest     float64 `json:"rest"`             // what all others have together
	Nucleus  int     `json:"nucleus"`          // how many tokens can be drawn
	Actual   *Actual `json:"actual,omitempty"` // what came; nil behind the end of the text
	Stages   []Stage `json:"stages"`           // what each layer would say, the first first
	Sizes    []Size  `json:"sizes"`            // what was added to the stream of activations
}

// Guesses is how many guesses a Place has.
const Guesses = 12

// Actual is what the model thought of the token that came.
type Actual struct {
	ID       int     `json:"id"`
	Surprise float64 `json:"surprise"` // −log p, at temperature 1, of all tokens
	Rank     int     `json:"rank"`     // 1: no other was likelier
	Drawn    float64 `json:"drawn"`    // the probability with which it would be drawn
}

// Stage is what the model would say if it ended behind a part: the head, applied to
// the stream of activations there.
type Stage struct {
	Part     string  `json:"part"`
	Top      []Guess `json:"top"`
	Surprise float64 `json:"surprise,omitempty"` // at the token that came
}

// Size is how much a part adds to the stream of activations at one token.
type Size struct {
	Part string  `json:"part"`
	Norm float64 `json:"norm"` // √Σx²
}

// Written is what a model writes.
type Written struct {
	IDs      []int     `json:"ids"`
	Surprise []float64 `json:"surprise"`        // −log p of each, of all tokens at temperature 1
	Ended    bool      `json:"ended,omitempty"` // the token that ends a text came next
}

// Weights are what attention looks at in one layer: [head][query][key], the keys up
// to the query.
type Weights [][][]float32

// Loss is what becomes of a reading when a part is left out.
type Loss struct {
	Part string `json:"part"`
	Reading
}

// Model is all that a program must know of a model, besides its parameters, to answer
// without the folder that it was trained in.
type Model struct {
	Vocab     int               `json:"vocab"`   // V
	Context   int               `json:"context"` // T
	Width     int               `json:"d_model"` // D
	Layers    int               `json:"layers"`  // L
	Heads     int               `json:"heads"`   // H
	Hidden    int               `json:"d_ff"`    // F
	Theta     float64           `json:"rope_theta"`
	Tokenizer map[string][]byte `json:"tokenizer"` // the files that describe it, by name
}

// Embedding is the name of the part that every stream begins with. It cannot be
// left out.
const Embedding = "embedding"

// Head, Attn, FFN and Layer are the names of parts.
func Head(layer, head int) string { return fmt.Sprintf("layer%d.head%d", layer, head) }
func Attn(layer int) string       { return fmt.Sprintf("layer%d.attention", layer) }
func FFN(layer int) string        { return fmt.Sprintf("layer%d.ffn", layer) }
func Layer(layer int) string      { return fmt.Sprintf("layer%d", layer) }

// Parts returns the parts of one layer that can be left out: its heads, all of them,
// its feed-forward network, and all of the layer.
func Parts(layer, heads int) []string {
	var all []string
	for h := range heads {
		all = append(all, Head(layer, h+1))
	}
	return append(all, Attn(layer), FFN(layer), Layer(layer))
}

// AllParts returns the parts of all layers.
func AllParts(layers, heads int) []string {
	var all []string
	for l := range layers {
		all = append(all, Parts(l+1, heads)...)
	}
	return slices.Clip(all)
}
