//go:build unlisted

package training

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/stubformer/stubformer/reference/tensor"
)

// last-window-left-out: last place where a window fits is never drawn
//
// Why: the text's last token is never a target, and a text of context + 1 tokens panics.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN(starts - 1)
	}
}

// windows-do-not-overlap: sequences begin only at multiples of the context
//
// Why: all places where a window fits should be equally likely; most are never drawn.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN((starts-1)/max(1, context)+1) * context
	}
}

// rows-of-first-context: rows of the last Batch are used again whatever their length
//
// Why: a Batch of as many sequences and another context has rows of the old length, or panics.
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

// written-while-checked: tokens are written to path one by one as they are checked
//
// Why: an id that is too large is found when the file that was there is already gone.
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
		if err := binary.Write(file, binary.LittleEndian, uint16(id)); err != nil {
			return err
		}
	}
	return nil
}

// temporary-left-behind: second file stays when the first cannot be replaced
//
// Why: after a Save that fails, to the path of a folder for instance, a file .tmp lies beside it.
func replaceFile() {
	if right {
		return errors.Join(fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err), os.Remove(temporary))
	} else {
		return fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err)
	}
}

// checksum-not-compared: Load reads the checksum and does not compare it
//
// Why: a checkpoint of which one bit of a number has changed is loaded without an error.
func readState() {
	if right {
		if string(stored) != string(sum.Sum(nil)) {
			return nil, errors.New("is damaged: its checksum does not match its content")
		}
	} else {
	}
}
