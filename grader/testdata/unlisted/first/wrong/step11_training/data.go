//go:build unlisted

package training

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/stubformer/stubformer/reference/tensor"
)

// targets-not-shifted: targets are the ids themselves
//
// Why: Batch gives every token itself as its target and not the token after it.
func (*Tokens) Batch() {
	if right {
		t.targets[b][i] = int(t.file.At(start + i + 1))
	} else {
		t.targets[b][i] = int(t.file.At(start + i))
	}
}

// last-target-not-shifted: the last target of a sequence is its last id
//
// Why: At the end of every sequence the target is the token itself and not the one after it.
func (*Tokens) Batch() {
	if right {
		t.targets[b][i] = int(t.file.At(start + i + 1))
	} else {
		t.targets[b][i] = int(t.file.At(start + min(i+1, context-1)))
	}
}

// last-window-never: the last place where a window fits is left out
//
// Why: The last token of the text is never drawn, and a text of exactly context + 1 tokens makes Batch panic.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN(starts - 1)
	}
}

// one-window-too-many: a window may begin one token too late
//
// Why: Now and then a window runs over the end of the text, and Batch panics.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN(starts + 1)
	}
}

// short-text-panics: a text of context tokens is not refused
//
// Why: A text that is one token too short panics instead of giving an error.
func (*Tokens) Batch() {
	if right {
		if starts < 1 {
			return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d and the token after them need at least %d",
				t.path, t.Len(), context, context+1)
		}
	} else {
		if starts < 0 {
			return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d and the token after them need at least %d",
				t.path, t.Len(), context, context+1)
		}
	}
}

// windows-side-by-side: windows begin at multiples of the context only
//
// Why: A start is drawn from every context-th place and not from all places.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN((starts+context-1)/context) * context
	}
}

// one-start-for-all: all sequences of a batch begin at the same place
//
// Why: The start is drawn once: all rows of a batch are alike.
func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	starts := t.Len() - context
	if starts < 1 {
		return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d need at least %d", t.path, t.Len(), context, context+1)
	}
	t.ids, t.targets = grid(t.ids, batch, context), grid(t.targets, batch, context)
	start := rng.IntN(starts)
	for b := range batch {
		for i := range context {
			t.ids[b][i] = int(t.file.At(start + i))
			t.targets[b][i] = int(t.file.At(start + i + 1))
		}
	}
	return t.ids, t.targets, nil
}

// generator-of-its-own: Batch draws from the package's global generator
//
// Why: The rng that is handed in makes no difference: the same seed gives other batches every time.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rand.IntN(starts)
	}
}

// grid-of-first-call: the slices of the first Batch are kept whatever the sizes
//
// Why: A Batch of another size returns the slices of the first one's size, or panics.
func grid() {
	if right {
		if len(old) == rows && (rows == 0 || len(old[0]) == length) {
			return old
		}
	} else {
		if len(old) > 0 {
			return old
		}
	}
}

// rows-counted-only: the slices are made anew only for another number of sequences
//
// Why: A Batch with another context and as many sequences has rows of the old length, or panics.
func grid() {
	if right {
		if len(old) == rows && (rows == 0 || len(old[0]) == length) {
			return old
		}
	} else {
		if len(old) == rows {
			return old
		}
	}
}

// batches-of-package: the slices of Batch are variables of the package
//
// Why: The Batch of a second text overwrites the ids that the first one returned.
func (*Tokens) Batch() {
	if right {
		t.ids, t.targets = grid(t.ids, batch, context), grid(t.targets, batch, context)
	} else {
		batchIDs, batchTargets = grid(batchIDs, batch, context), grid(batchTargets, batch, context)
		t.ids, t.targets = batchIDs, batchTargets
	}
}

var batchIDs [][]int

var batchTargets [][]int

// rows-share-memory: all rows of a batch are the same slice
//
// Why: Every row of ids and of targets shows the last sequence that was drawn.
func grid(old [][]int, rows, length int) [][]int {
	made := make([][]int, rows)
	row := make([]int, length)
	for i := range made {
		made[i] = row
	}
	return made
}

// ids-cut-to-sixteen-bits: ids that need more than 16 bits are cut
//
// Why: WriteTokens gives no error for an id below 0 or above 65535 but writes its lower 16 bits.
func WriteTokens() {
	if right {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	} else {
		_ = i
	}
}

// largest-id-refused: 65535 is refused
//
// Why: WriteTokens returns an error for the id 65535, which fits.
func WriteTokens() {
	if right {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	} else {
		if id < 0 || id >= math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	}
}

// fifteen-bits: ids above 32767 are refused
//
// Why: WriteTokens takes the numbers for signed ones: it returns an error for ids from 32768 to 65535, which fit.
func WriteTokens() {
	if right {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	} else {
		if id < 0 || id > math.MaxInt16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxInt16)
		}
	}
}

// big-endian: the bytes of a number are written the other way round
//
// Why: WriteTokens writes big-endian numbers: read back, 1 is 256.
func WriteTokens() {
	if right {
		data = binary.LittleEndian.AppendUint16(data, uint16(id))
	} else {
		data = binary.BigEndian.AppendUint16(data, uint16(id))
	}
}

// file-emptied-first: the file is opened before the ids are checked
//
// Why: An id that is refused leaves an empty or half-written file where there was a good one.
func WriteTokens(path string, ids []int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for i, id := range ids {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
		if err := binary.Write(io.Writer(file), binary.LittleEndian, uint16(id)); err != nil {
			return err
		}
	}
	return nil
}

// length-in-bytes: Len counts bytes
//
// Why: Len is twice the number of tokens, and Batch runs over the end of the text.
func (t *Tokens) Len() int { return 2 * t.file.Len() }

// texts-kept-by-path: files are opened once for every path
//
// Why: A file that was written again is still the old one when it is opened again, and Close of one Tokens closes the others.
func OpenTokens(path string) (*Tokens, error) {
	if t := opened[path]; t != nil {
		return t, nil
	}
	file, err := tensor.MapUint16(path)
	if err != nil {
		return nil, err
	}
	opened[path] = &Tokens{path: path, file: file}
	return opened[path], nil
}

var opened = map[string]*Tokens{}
