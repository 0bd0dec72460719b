package training

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Tokens is a text as a file of token ids: 16-bit numbers, little-endian, and
// nothing else. The file is mapped into memory, so it may be larger than that.
type Tokens struct {
	path string
	file *tensor.Uint16s

	ids, targets [][]int // what Batch returned, to be filled again by the next
}

// OpenTokens opens a file of tokens. The error names the file if it is not
// there or cannot be one.
func OpenTokens(path string) (*Tokens, error) {
	file, err := tensor.MapUint16(path)
	if err != nil {
		return nil, err
	}
	return &Tokens{path: path, file: file}, nil
}

// WriteTokens writes a file for OpenTokens, whole or not at all: an error leaves
// a file that was there as it was. An id that needs more than 16 bits is an
// error that names it.
func WriteTokens(path string, ids []int) error {
	data := make([]byte, 0, 2*len(ids))
	for i, id := range ids {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
		data = binary.LittleEndian.AppendUint16(data, uint16(id))
	}
	return replaceFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Len returns how many tokens the file holds.
func (t *Tokens) Len() int { return t.file.Len() }

// Close closes the file.
func (t *Tokens) Close() error { return t.file.Close() }

// Batch draws sequences from the text. Each is a window of context + 1 tokens
// that begins at a place drawn from all places where one fits, the last ones
// included:
//
//	start ∈ {0, …, Len − context − 1}, all equally likely
//	ids     = text[start], …, text[start + context − 1]
//	targets = text[start + 1], …, text[start + context]    the token after each
//
// ids and targets are (batch, context) and are valid until the next Batch. A
// text without room for one window is an error.
func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	starts := t.Len() - context
	if starts < 1 {
		return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d and the token after them need at least %d",
			t.path, t.Len(), context, context+1)
	}
	t.ids, t.targets = grid(t.ids, batch, context), grid(t.targets, batch, context)
	for b := range batch {
		start := rng.IntN(starts)
		for i := range context {
			t.ids[b][i] = int(t.file.At(start + i))
			t.targets[b][i] = int(t.file.At(start + i + 1))
		}
	}
	return t.ids, t.targets, nil
}

// grid returns rows of the given number and length, the old ones if they fit.
func grid(old [][]int, rows, length int) [][]int {
	if len(old) == rows && (rows == 0 || len(old[0]) == length) {
		return old
	}
	made := make([][]int, rows)
	for i := range made {
		made[i] = make([]int, length)
	}
	return made
}
