package training

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

type Tokens struct{ bytes []byte }

func OpenTokens(path string) (*Tokens, error) {
	b, err := os.ReadFile(path)
	if err == nil && len(b)%2 != 0 {
		err = fmt.Errorf("%s holds an odd number of bytes: %d", path, len(b))
	}
	if err != nil {
		return nil, err
	}
	return &Tokens{b}, nil
}

func WriteTokens(path string, ids []int) error {
	var b []byte
	for at, id := range ids {
		if id != id&0xffff {
			return fmt.Errorf("token %d is %d, which does not fit two bytes", at, id)
		}
		b = append(b, byte(id), byte(id>>8))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (t *Tokens) Len() int { return len(t.bytes) / 2 }

func (t *Tokens) Close() error { return nil }

func (t *Tokens) at(i int) int { return int(t.bytes[2*i]) + 256*int(t.bytes[2*i+1]) }

func (t *Tokens) Batch(rng *rand.Rand, batch, context int) (ids, targets [][]int, err error) {
	if t.Len() < context+1 {
		return nil, nil, fmt.Errorf("%d tokens are too few for a window of %d and a target", t.Len(), context)
	}
	for len(ids) < batch {
		window := make([]int, 0, context+1)
		for i, first := 0, rng.IntN(t.Len()-context); i <= context; i++ {
			window = append(window, t.at(first+i))
		}
		ids, targets = append(ids, window[:context]), append(targets, window[1:])
	}
	return ids, targets, nil
}
