package training_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step11_training"
)

// inFolder calls f with a new folder, which is removed afterwards.
func inFolder(f func(dir string) (wire.Values, error)) (wire.Values, error) {
	dir, err := os.MkdirTemp("", "step11-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

// identity returns what tells a file from one that takes its name later, for os.SameFile:
// on Windows os.Stat leaves that to be looked up when it is needed.
func identity(path string) (os.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// writeTokens writes tokens over a file that holds 7, 8 and 9. It returns
// whether they were refused and with which words, the bytes of the file, whether
// it is still the same file, and how many files the folder has then.
func writeTokens(in subject.Args) (wire.Values, error) {
	return inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "text.bin")
		if err := WriteTokens(path, []int{7, 8, 9}); err != nil {
			return nil, err
		}
		before, err := identity(path)
		if err != nil {
			return nil, err
		}
		if subject.OnFullDisk(func() error { return WriteTokens(path, in.Ints("tokens")) }) == nil {
			return nil, subject.Broken("WriteTokens on a disk that is full returned no error")
		}
		refused, message := refusal(WriteTokens(path, in.Ints("tokens")))
		if WriteTokens(filepath.Join(dir, "missing", "text.bin"), []int{7}) == nil {
			return nil, subject.Broken("WriteTokens into a folder that does not exist returned no error")
		}
		after, err := identity(path)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files, err := os.ReadDir(dir)
		var bytes []int
		for _, b := range data {
			bytes = append(bytes, int(b))
		}
		return wire.Values{"refused": refused, "message": message, "bytes": integers(bytes),
			"same_file": flag(os.SameFile(before, after)), "files": wire.Int(len(files))}, err
	})
}

// refusal returns whether there is an error (1 or 0), and its words.
func refusal(err error) (refused, message wire.Value) {
	if err == nil {
		return flag(false), wire.String("")
	}
	return flag(true), wire.String(err.Error())
}

// openTokens opens a file of the given bytes, or none at all.
func openTokens(in subject.Args) (wire.Values, error) {
	return inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "text.bin")
		if err := openAndClose(path); err != nil { // another text, which was there before
			return nil, err
		}
		if in.Int("missing") == 0 {
			var data []byte
			for _, b := range in.Ints("bytes") {
				data = append(data, byte(b))
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				return nil, err
			}
		}
		text, err := OpenTokens(path)
		if err != nil {
			return nil, err
		}
		n := text.Len()
		return wire.Values{"n": wire.Int(n)}, text.Close()
	})
}

// openAndClose writes a text, opens it twice, looks at the one after the other was
// closed, and removes it.
func openAndClose(path string) error {
	if err := WriteTokens(path, []int{4, 5, 6, 7, 8}); err != nil {
		return err
	}
	one, err := OpenTokens(path)
	if err != nil {
		return err
	}
	two, err := OpenTokens(path)
	if err != nil {
		return err
	}
	if err := one.Close(); err != nil {
		return err
	}
	ids, _, err := two.Batch(rand.New(rand.NewPCG(1, 1)), 1, 4)
	if err != nil || len(ids) != 1 || !slices.Equal(ids[0], []int{4, 5, 6, 7}) {
		return subject.Broken("after one of two texts of the same file was closed, the other's first batch is %v, "+
			"with the error %v; want [[4 5 6 7]] and none", ids, err)
	}
	return errors.Join(two.Close(), os.Remove(path))
}

// withTokens calls f with a file of the given tokens, opened.
func withTokens(tokens []int, f func(*Tokens) error) error {
	_, err := inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "text.bin")
		data := make([]byte, 0, 2*len(tokens))
		for _, id := range tokens {
			data = append(data, byte(id), byte(id>>8))
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
		text, err := OpenTokens(path)
		if err != nil {
			return nil, err
		}
		defer text.Close()
		return nil, f(text)
	})
	return err
}

func drawBatches(in subject.Args) (wire.Values, error) {
	draws, batch, context := in.Int("draws"), in.Int("batch"), in.Int("context")
	var ids, targets []int
	err := withTokens(in.Ints("tokens"), func(text *Tokens) error {
		rng := rand.New(rand.NewPCG(uint64(in.Int("seed")), 0))
		for draw := range draws {
			// Rows of another number or length, drawn before, must leave nothing behind.
			other := [][2]int{{batch, max(1, context-1)}, {batch + 2, context}, {batch, context + 3},
				{batch + 1, context + 1}}[draw%4]
			if draw == 0 || other[1] < text.Len() {
				if _, _, err := text.Batch(rand.New(rand.NewPCG(1, 1)), other[0], other[1]); err != nil {
					return err
				}
			}
			x, y, err := text.Batch(rng, batch, context)
			if err != nil {
				return err
			}
			if draw < 8 {
				if err := anotherText(batch, context); err != nil {
					return err
				}
			}
			for b := range x {
				ids, targets = append(ids, x[b]...), append(targets, y[b]...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x, y := integers(ids), integers(targets)
	x.Shape, y.Shape = []int{draws, batch, context}, []int{draws, batch, context}
	return wire.Values{"ids": x, "targets": y}, nil
}

// anotherText draws a batch of the same sizes from a text of its own.
func anotherText(batch, context int) error {
	return withTokens(make([]int, context+1), func(text *Tokens) error {
		_, _, err := text.Batch(rand.New(rand.NewPCG(1, 1)), batch, context)
		return err
	})
}

func integers(n []int) wire.Value {
	v := wire.Ints(make([]int64, len(n)), len(n))
	for i := range n {
		v.I64[i] = int64(n[i])
	}
	return v
}

func flag(b bool) wire.Value {
	if b {
		return wire.Int(1)
	}
	return wire.Int(0)
}
