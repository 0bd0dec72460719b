//go:build unlisted

package training

import (
	"bufio"
	"os"
)

// one-start-for-the-batch: only the first window is drawn, the others follow it
//
// Why: each window begins at a place of its own, all places equally likely.
func (*Tokens) Batch() {
	if right {
		for b := range batch {
			start := rng.IntN(starts)
			for i := range context {
				t.ids[b][i] = int(t.file.At(start + i))
				t.targets[b][i] = int(t.file.At(start + i + 1))
			}
		}
	} else {
		first := rng.IntN(starts)
		for b := range batch {
			start := (first + b*context) % starts
			for i := range context {
				t.ids[b][i] = int(t.file.At(start + i))
				t.targets[b][i] = int(t.file.At(start + i + 1))
			}
		}
	}
}

// last-place-never-drawn: the last window that fits is never drawn, unless it is the only one
//
// Why: the last place is included; the last token is never a target.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN(max(1, starts-1))
	}
}

// drawn-from-the-process: the places are drawn from the process's generator
//
// Why: the same rng must give the same batches; a resumed run differs.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rand.IntN(starts)
	}
}

// rows-of-the-old-length: the rows are kept when their number is right, whatever their length
//
// Why: a Batch with a longer context panics, one with a shorter returns rows that are too long.
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

// exactly-one-window-refused: a text of context + 1 tokens is an error
//
// Why: it has room for one window.
func (*Tokens) Batch() {
	if right {
		if starts < 1 {
			return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d and the token after them need at least %d",
				t.path, t.Len(), context, context+1)
		}
	} else {
		if starts < 2 {
			return nil, nil, fmt.Errorf("%s holds %d tokens; sequences of %d and the token after them need at least %d",
				t.path, t.Len(), context, context+1)
		}
	}
}

// largest-id-refused: 65535 is an error
//
// Why: it has 16 bits; only ids above it are errors.
func WriteTokens() {
	if right {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	} else {
		if id < 0 || id >= math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids below %d", i, id, math.MaxUint16)
		}
	}
}

// negative-ids-wrap: only ids that are too large are looked for
//
// Why: an id below 0 is an error; −1 is written as 65535.
func WriteTokens() {
	if right {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	} else {
		if id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	}
}

// bad-id-found-while-writing: the old file is emptied before the ids are looked at
//
// Why: an error leaves a file that was there as it was.
func WriteTokens(path string, ids []int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	for i, id := range ids {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
		if err := binary.Write(w, binary.LittleEndian, uint16(id)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// written-in-place: the new content is written over the old file
//
// Why: a program that is killed meanwhile leaves neither the old checkpoint nor the new one.
func replaceFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Sync(), file.Close())
}

// old-one-kept-beside: the old file stays as path.bak
//
// Why: nothing else is to be left behind; and between the two renames there is no file of that name.
func replaceFile() {
	if right {
		err = os.Rename(temporary, path)
	} else {
		os.Rename(path, path+".bak")
		err = os.Rename(temporary, path)
	}
}

// temporary-left-behind: a file that could not be finished is not removed
//
// Why: an error leaves path.tmp behind, for instance where path is a folder.
func replaceFile() {
	if right {
		return errors.Join(fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err), os.Remove(temporary))
	} else {
		return fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err)
	}
}

// checksum-not-compared: the checksum is read and not compared
//
// Why: a file with a flipped bit in its numbers is returned as a state.
func readState() {
	if right {
		if string(stored) != string(sum.Sum(nil)) {
			return nil, errors.New("is damaged: its checksum does not match its content")
		}
	} else {
	}
}

// length-of-the-header-trusted: memory for the header is taken as the file says
//
// Why: a flipped bit in that length makes Load take up to 4 GiB for a small file.
func readState() {
	if right {
		switch {
		case uint64(size) < whole:
			return nil, fmt.Errorf("is cut off: it has %d of %d bytes", size, whole)
		case uint64(size) > whole || left < 0:
			return nil, errors.New("is damaged: its length is not the one that it names")
		}
	} else {
		switch {
		case uint64(size) < whole:
			return nil, fmt.Errorf("is cut off: it has %d of %d bytes", size, whole)
		case uint64(size) > whole:
			return nil, errors.New("is damaged: its length is not the one that it names")
		}
	}
}

// numbers-as-halves: numbers are saved with their sixteen upper bits, to save space
//
// Why: they must come back bit for bit.
func writeFloats() {
	if right {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f))
	} else {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f)&^0xffff)
	}
}
