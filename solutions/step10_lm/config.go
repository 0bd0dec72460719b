package lm

import (
	"errors"
	"fmt"
	"math"
)

// Config is the shape of a model.
type Config struct {
	VocabSize     int     `json:"vocab_size"`     // V, how many tokens there are
	ContextLength int     `json:"context_length"` // the longest sequence
	DModel        int     `json:"d_model"`        // D, the width of the stream
	NumLayers     int     `json:"num_layers"`     // L, how many blocks
	NumHeads      int     `json:"num_heads"`      // H; D/H must be even
	DFF           int     `json:"d_ff"`           // F, the width inside the feed-forward networks
	RopeTheta     float64 `json:"rope_theta"`     // Θ, usually 10,000
}

// Validate returns an error that names everything that is wrong with the
// configuration, or nil.
func (c Config) Validate() error {
	var wrong []error
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	for _, field := range []struct {
		name       string
		got, least int
	}{
		{"vocab_size", c.VocabSize, 1}, {"context_length", c.ContextLength, 1}, {"d_model", c.DModel, 1},
		{"num_layers", c.NumLayers, 0}, {"num_heads", c.NumHeads, 1}, {"d_ff", c.DFF, 1},
	} {
		if field.got < field.least {
			say("%s is %d; want at least %d", field.name, field.got, field.least)
		}
	}
	if c.DModel > 0 && c.NumHeads > 0 && c.DModel%(2*c.NumHeads) != 0 {
		say("d_model is %d and num_heads is %d; each head must have an even number of dimensions, "+
			"so d_model must be a multiple of %d",
			c.DModel, c.NumHeads, 2*c.NumHeads)
	}
	if !(c.RopeTheta > 0) || math.IsInf(c.RopeTheta, 0) {
		say("rope_theta is %g; want a number above 0", c.RopeTheta)
	}
	return errors.Join(wrong...)
}
