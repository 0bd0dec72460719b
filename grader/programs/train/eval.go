package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"github.com/stubformer/stubformer/grader/programs/answers"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
)

// evaluate reads all tokens of a file, in pieces of a length, and reports the mean loss of all but the first. The loss is computed here, in float64.
func (p program) evaluate(ctx context.Context, f folder, path string, length int) error {
	ids, err := readTokens(path)
	if err != nil {
		return err
	}
	m, err := f.load()
	if err != nil {
		return err
	}
	sum := 0.0
	for at := 0; at < len(ids)-1; at += length {
		if ctx.Err() != nil {
			return nil
		}
		piece := ids[at:min(at+length+1, len(ids))]
		logits, err := m.Forward([][]int{piece[:len(piece)-1]})
		if err != nil {
			return err
		}
		tensor.CheckShape("the logits", logits, 1, len(piece)-1, f.VocabSize)
		for t, next := range piece[1:] {
			sum += answers.Surprise(logits.Row(t), next)
		}
	}
	loss := sum / float64(len(ids)-1)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("the mean loss of %d tokens is %g", len(ids)-1, loss)
	}
	p.Send(run.Event{Evaluated: &run.Evaluated{Loss: loss, Tokens: len(ids) - 1}})
	return nil
}

// readTokens returns the tokens of a file, 16 bits each, little-endian.
func readTokens(path string) ([]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	ids := make([]int, len(data)/2)
	for i := range ids {
		ids[i] = int(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return ids, nil
}
