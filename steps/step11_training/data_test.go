package training_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step10_lm"
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

// writeTokens writes tokens over a file that holds 7, 8 and 9. It returns
// whether they were refused and with which words, the bytes of the file, whether
// it is still the same file, and how many files the folder has then.
func writeTokens(in subject.Args) (wire.Values, error) {
	return inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "text.bin")
		if err := WriteTokens(path, []int{7, 8, 9}); err != nil {
			return nil, err
		}
		before, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		refused, message := refusal(WriteTokens(path, in.Ints("tokens")))
		after, err := os.Stat(path)
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
		// Rows of another length, drawn before, must leave nothing behind.
		if _, _, err := text.Batch(rand.New(rand.NewPCG(1, 1)), batch, max(1, context-1)); err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(uint64(in.Int("seed")), 0))
		for range draws {
			x, y, err := text.Batch(rng, batch, context)
			if err != nil {
				return err
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

func integers(n []int) wire.Value {
	v := wire.Ints(make([]int64, len(n)), len(n))
	for i := range n {
		v.I64[i] = int64(n[i])
	}
	return v
}

// stateOf returns the state that the arguments describe.
func stateOf(in subject.Args) *State {
	generator, _ := rand.NewPCG(uint64(in.Int("seed")), 11).MarshalBinary()
	s := &State{Config: lm.Config{VocabSize: 7, ContextLength: 5, DModel: 4, NumLayers: 1, NumHeads: 2, DFF: 3, RopeTheta: in.Float("rope_theta")},
		Step: in.Int("step"), RNG: generator,
		Params: map[string]*tensor.Tensor{}, M: map[string]*tensor.Tensor{}, V: map[string]*tensor.Tensor{}}
	for _, name := range in.Names() {
		for group, tensors := range map[string]map[string]*tensor.Tensor{"params/": s.Params, "m/": s.M, "v/": s.V} {
			if rest, ok := strings.CutPrefix(name, group); ok {
				tensors[rest] = in.Tensor(name)
			}
		}
	}
	return s
}

// valuesOf is the opposite of stateOf. Of the generator it gives the next draws.
func valuesOf(s *State) (wire.Values, error) {
	var generator rand.PCG
	if err := generator.UnmarshalBinary(s.RNG); err != nil {
		return nil, err
	}
	draws := wire.Ints(make([]int64, 3), 3)
	for i := range draws.I64 {
		draws.I64[i] = int64(generator.Uint64())
	}
	out := wire.Values{"rope_theta": wire.Float(s.Config.RopeTheta), "d_model": wire.Int(s.Config.DModel), "step": wire.Int(s.Step), "draws": draws}
	for group, tensors := range map[string]map[string]*tensor.Tensor{"params/": s.Params, "m/": s.M, "v/": s.V} {
		for name, t := range tensors {
			out[group+name] = wire.Tensor(t)
		}
	}
	return out, nil
}

func roundTrip(in subject.Args) (wire.Values, error) {
	return inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "checkpoint")
		if err := Save(path, stateOf(in)); err != nil {
			return nil, err
		}
		s, err := Load(path)
		if err != nil {
			return nil, err
		}
		return valuesOf(s)
	})
}

// loadContent loads a file of the given content.
func loadContent(in subject.Args) (wire.Values, error) {
	return inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "checkpoint")
		if err := os.WriteFile(path, []byte(in.Text("content")), 0o600); err != nil {
			return nil, err
		}
		_, err := Load(path)
		return wire.Values{}, err
	})
}

// loadDamaged saves a checkpoint and damages it in several ways: of version i
// only the first keep[i] bytes are left (−1 for all), and the bits bits[i] of byte
// flip[i] are flipped (−1 for none). It returns the size of the checkpoint, which
// versions Load turned down, and with which words, a line for each.
func loadDamaged(in subject.Args) (wire.Values, error) {
	return inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "checkpoint")
		if err := Save(path, stateOf(in)); err != nil {
			return nil, err
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		keep, flip, bits := in.Ints("keep"), in.Ints("flip"), in.Ints("bits")
		turnedDown, messages := wire.Ints(make([]int64, len(keep)), len(keep)), make([]string, len(keep))
		version, err := os.Create(filepath.Join(dir, "version")) // one after the other in the same file
		if err != nil {
			return nil, err
		}
		defer version.Close()
		for i := range keep {
			data := slices.Clone(whole)
			if keep[i] >= 0 {
				data = data[:keep[i]]
			}
			if flip[i] >= 0 {
				data[flip[i]] ^= byte(bits[i])
			}
			if _, err := version.WriteAt(data, 0); err != nil {
				return nil, err
			}
			if err := version.Truncate(int64(len(data))); err != nil {
				return nil, err
			}
			_, err := Load(version.Name())
			if err != nil {
				turnedDown.I64[i] = 1
				messages[i] = strings.ReplaceAll(err.Error(), "\n", " ")
			}
		}
		return wire.Values{"size": wire.Int(len(whole)), "refused": turnedDown, "messages": wire.String(strings.Join(messages, "\n"))}, nil
	})
}

// replaceCheckpoint saves one checkpoint over another, then tries one that may
// fail because a number in it is NaN, and one in a folder that does not exist.
func replaceCheckpoint(in subject.Args) (wire.Values, error) {
	return inFolder(func(dir string) (wire.Values, error) {
		path := filepath.Join(dir, "checkpoint")
		s := stateOf(in)
		if err := Save(path, s); err != nil {
			return nil, err
		}
		before, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		s.Step++
		if err := Save(path, s); err != nil {
			return nil, err
		}
		after, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		same := os.SameFile(before, after)

		s.Step++
		s.Config.RopeTheta = math.NaN()
		failed := Save(path, s) != nil
		left, err := Load(path)
		if err != nil {
			return nil, fmt.Errorf("after a failed Save the old checkpoint cannot be loaded: %w", err)
		}
		nowhere := Save(filepath.Join(dir, "missing", "checkpoint"), s) != nil
		files, err := os.ReadDir(dir)
		return wire.Values{"same_file": flag(same), "failed": flag(failed), "step": wire.Int(left.Step),
			"nowhere_failed": flag(nowhere), "files": wire.Int(len(files))}, err
	})
}

func flag(b bool) wire.Value {
	if b {
		return wire.Int(1)
	}
	return wire.Int(0)
}
