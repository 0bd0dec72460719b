package training

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Tokens reads every window from the file when it is drawn.
type Tokens struct {
	file         *os.File
	n            int
	bytes        []byte
	ids, targets [][]int
}

func OpenTokens(path string) (*Tokens, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a plain file", path)
	case err == nil && info.Size()%2 != 0:
		err = fmt.Errorf("%s has %d bytes, which is odd: it cannot hold 16-bit numbers", path, info.Size())
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Tokens{file: file, n: int(info.Size() / 2)}, nil
}

func WriteTokens(path string, ids []int) (err error) {
	var data []byte
	for i, id := range ids {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("ids[%d] is %d, which is no 16-bit number", i, id)
		}
		data = binary.LittleEndian.AppendUint16(data, uint16(id))
	}
	return replace(path, data)
}

// replace writes a file whole or not at all.
func replace(path string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(data); err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

func (t *Tokens) Len() int { return t.n }

func (t *Tokens) Close() error {
	if t.file == nil {
		return nil
	}
	file := t.file
	t.file = nil
	return file.Close()
}

func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	room := t.n - context
	if room < 1 {
		return nil, nil, fmt.Errorf("a text of %d tokens has no room for a window of %d", t.n, context+1)
	}
	if len(t.bytes) != 2*(context+1) {
		t.bytes, t.ids, t.targets = make([]byte, 2*(context+1)), nil, nil
	}
	for len(t.ids) < batch {
		t.ids, t.targets = append(t.ids, make([]int, context)), append(t.targets, make([]int, context))
	}
	for b := range batch {
		if _, err := io.ReadFull(io.NewSectionReader(t.file, 2*int64(rng.IntN(room)), int64(len(t.bytes))), t.bytes); err != nil {
			return nil, nil, err
		}
		for i := range context {
			t.ids[b][i] = int(binary.LittleEndian.Uint16(t.bytes[2*i:]))
			t.targets[b][i] = int(binary.LittleEndian.Uint16(t.bytes[2*i+2:]))
		}
	}
	return t.ids[:batch], t.targets[:batch], nil
}
