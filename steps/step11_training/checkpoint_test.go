package training_test

import (
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

// stateOf returns the state that the arguments describe.
func stateOf(in subject.Args) *State {
	generator, _ := rand.NewPCG(uint64(in.Int("seed")), 11).MarshalBinary()
	s := &State{Config: lm.Config{VocabSize: 7, ContextLength: 5, DModel: 4, NumLayers: 1, NumHeads: 2, DFF: 3,
		RopeTheta: in.Float("rope_theta")},
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
	out := wire.Values{"rope_theta": wire.Float(s.Config.RopeTheta), "d_model": wire.Int(s.Config.DModel),
		"step": wire.Int(s.Step), "draws": draws}
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
		if !in.Has("missing") {
			if err := os.WriteFile(path, []byte(in.Text("content")), 0o600); err != nil {
				return nil, err
			}
		}
		s, err := Load(path)
		if err == nil {
			return wire.Values{}, nil
		}
		o := Options{Batch: 1, Context: 1, Shards: 1, MaxNorm: 1, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}
		_, resumed := Resume(path, o)
		if s != nil || resumed == nil {
			return wire.Values{"state_with_error": flag(s != nil), "resumed": flag(resumed == nil)}, nil
		}
		return nil, err
	})
}

// loadDamaged saves a checkpoint and damages it in several ways: of version i
// only the first keep[i] bytes are left (−1 for all; if there are fewer, the file
// begins once more behind its end), and the bits bits[i] of byte
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
				data = slices.Repeat(data, 1+keep[i]/len(data))[:keep[i]]
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
			s, err := Load(version.Name())
			if err != nil {
				turnedDown.I64[i] = 1
				if s != nil {
					turnedDown.I64[i] = 2
				}
				messages[i] = strings.ReplaceAll(err.Error(), "\n", " ")
			}
		}
		return wire.Values{"size": wire.Int(len(whole)), "refused": turnedDown,
			"messages": wire.String(strings.Join(messages, "\n"))}, nil
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
		before, err := identity(path)
		if err != nil {
			return nil, err
		}
		s.Step++
		if err := Save(path, s); err != nil {
			return nil, err
		}
		after, err := identity(path)
		if err != nil {
			return nil, err
		}
		same := os.SameFile(before, after)

		s.Step++
		s.Config.RopeTheta = math.NaN()
		failed := Save(path, s) != nil

		s.Step++
		s.Config.RopeTheta = in.Float("rope_theta")
		full := subject.OnFullDisk(func() error { return Save(path, s) }) != nil
		left, err := Load(path)
		if err != nil {
			return nil, subject.Broken("after a failed Save the old checkpoint cannot be loaded: %v", err)
		}
		nowhere := Save(filepath.Join(dir, "missing", "checkpoint"), s) != nil
		files, err := os.ReadDir(dir)
		return wire.Values{"same_file": flag(same), "failed": flag(failed), "step": wire.Int(left.Step),
			"full_failed": flag(full), "nowhere_failed": flag(nowhere), "files": wire.Int(len(files))}, err
	})
}
