//go:build unlisted

package training

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/stubformer/stubformer/reference/tensor"
)

// written-in-place: the file is written under its own name
//
// Why: A Save that fails or is killed leaves a half-written checkpoint (or file of tokens) where there was a good one.
func replaceFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Sync(), file.Close())
}

// old-file-removed-first: the old file is removed before the new one is written
//
// Why: A Save that fails leaves no checkpoint at all.
func replaceFile() {
	if right {
		temporary := path + ".tmp"
	} else {
		temporary := path + ".tmp"
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
}

// copied-not-renamed: the new file is copied to the name and stays where it is
//
// Why: Save (like WriteTokens) leaves the second file behind, and the copy can be cut off half-way.
func replaceFile() {
	if right {
		err = os.Rename(temporary, path)
	} else {
		data, readErr := os.ReadFile(temporary)
		err = errors.Join(readErr, os.WriteFile(path, data, 0o666))
	}
}

// written-without-replacing: a file that is there is opened without being emptied
//
// Why: A checkpoint (or file of tokens) that is smaller than the one before keeps the old one's end: Load refuses it, Len counts too many.
func replaceFile(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Sync(), file.Close())
}

// checksum-not-compared: the checksum is read and not compared
//
// Why: A flipped bit in the numbers goes unnoticed: Load returns a damaged state.
func readState() {
	if right {
		if string(stored) != string(sum.Sum(nil)) {
			return nil, errors.New("is damaged: its checksum does not match its content")
		}
	} else {
		_ = stored
	}
}

// checksum-of-header-only: the checksum covers the header alone
//
// Why: A flipped bit in the numbers goes unnoticed: Load returns a damaged state.
func Save() {
	if right {
		if err := writeFloats(body, groups[e.Group][e.Name].Data); err != nil {
			return err
		}
	} else {
		if err := writeFloats(file, groups[e.Group][e.Name].Data); err != nil {
			return err
		}
	}
}

func readState() {
	if right {
		s, err := readTensors(body, described, left)
	} else {
		s, err := readTensors(file, described, left)
	}
}

// surplus-ignored: bytes after the checksum are not looked at
//
// Why: A file with something appended is taken for a good checkpoint.
func readState() {
	if right {
		left := size - startLength - length - sha256.Size
	} else {
		if uint64(size) > whole {
			size = int64(whole)
		}
		left := size - startLength - length - sha256.Size
	}
}

// size-of-header-believed: memory is made for what the header names
//
// Why: A damaged header that names a huge tensor makes Load take memory beyond the file's size, or panic.
func readTensors(body io.Reader, described []byte, left int64) (*State, error) {
	var h header
	if err := json.Unmarshal(described, &h); err != nil {
		return nil, fmt.Errorf("is damaged: its header cannot be understood: %w", err)
	}
	s := &State{Config: h.Config, Step: h.Step, RNG: h.RNG,
		Params: map[string]*tensor.Tensor{}, M: map[string]*tensor.Tensor{}, V: map[string]*tensor.Tensor{}}
	groups := s.groups()
	for _, e := range h.Tensors {
		t := tensor.New(e.Shape...)
		if err := readFloats(body, t.Data); err != nil {
			return nil, fmt.Errorf("is cut off: %w", err)
		}
		groups[e.Group][e.Name] = t
	}
	return s, nil
}

// half-a-state: a state is returned beside an error
//
// Why: Load of a damaged file returns a state as well as the error.
func Load() {
	if right {
		s, err := readState(file, info.Size())
		if err != nil {
			return nil, fmt.Errorf("%s %w", path, err)
		}
	} else {
		s, err := readState(file, info.Size())
		if err != nil {
			return &State{}, fmt.Errorf("%s %w", path, err)
		}
	}
}

// missing-file-is-fresh: a file that is not there gives an empty state
//
// Why: Load returns no error for a path where there is nothing.
func Load() {
	if right {
		if err != nil {
			return nil, fmt.Errorf("the checkpoint cannot be opened: %w", err)
		}
	} else {
		if errors.Is(err, os.ErrNotExist) {
			return &State{}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the checkpoint cannot be opened: %w", err)
		}
	}
}

// six-decimals: numbers are rounded to six decimals
//
// Why: Numbers do not come back bit for bit: 1e-8 is 0 after Load.
func writeFloats() {
	if right {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f))
	} else {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'f', 6, 32), 32)
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(float32(rounded)))
	}
}

// zeros-cleaned: what is not a number or is −0 is written as 0
//
// Why: NaN and −0 do not come back bit for bit.
func writeFloats() {
	if right {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f))
	} else {
		if f == 0 || f != f {
			f = 0
		}
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f))
	}
}

// mean-of-squares-is-m: State hands out M for both means
//
// Why: The V of a state holds the numbers of M: after Restore the training goes on with a wrong mean of the squares.
func (*Trainer) State() {
	if right {
		s.Params[p.Name], s.M[p.Name], s.V[p.Name] = p.Value, t.Optimizer.M[i], t.Optimizer.V[i]
	} else {
		s.Params[p.Name], s.M[p.Name], s.V[p.Name] = p.Value, t.Optimizer.M[i], t.Optimizer.M[i]
	}
}

// generator-not-saved: the state of the generator is left out
//
// Why: RNG is empty after Load.
func Save() {
	if right {
		h := header{Config: s.Config, Step: s.Step, RNG: s.RNG}
	} else {
		h := header{Config: s.Config, Step: s.Step}
	}
}

// next-step-saved: the number of the next update is saved
//
// Why: Step is one more after Load than it was when it was saved.
func Save() {
	if right {
		h := header{Config: s.Config, Step: s.Step, RNG: s.RNG}
	} else {
		h := header{Config: s.Config, Step: s.Step + 1, RNG: s.RNG}
	}
}

// loaded-once: a file that was read is kept by its path
//
// Why: A Load after a second Save to the same path returns the old state, and two Loads share their tensors.
func Load(path string) (*State, error) {
	if s := loaded[path]; s != nil {
		return s, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be opened: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be examined: %w", err)
	}
	s, err := readState(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	loaded[path] = s
	return s, nil
}

var loaded = map[string]*State{}
