//go:build unlisted

package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// adamw-in-a-plain-loop: one loop in float64 over every element, with the decay after the step
//
// Why: one of the three forms that the contract accepts.
func (o *AdamW) Step(lr float64) {
	o.Steps++
	bias1, bias2 := 1-math.Pow(o.Beta1, float64(o.Steps)), 1-math.Pow(o.Beta2, float64(o.Steps))
	for i, param := range o.Params {
		m, v := o.M[i].Data, o.V[i].Data
		for j, gradient := range param.Grad.Data {
			g := float64(gradient)
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*g
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*g*g
			m[j], v[j] = float32(mean), float32(square)
			p := float64(param.Value.Data[j])
			p -= lr * (mean / bias1) / (math.Sqrt(square/bias2) + o.Eps)
			p -= lr * o.WeightDecay * p
			param.Value.Data[j] = float32(p)
		}
	}
}

// checkpoint-in-one-piece: the whole state is one JSON document with the numbers as bytes, behind a line with its length and before its checksum
//
// Why: the form of the file is free; it begins like no other file, names its length,
// ends with a checksum that is compared before anything is decoded, and float32 are
// kept as their four bytes.
func Save(path string, s *State) error {
	whole := document{Config: s.Config, Step: s.Step, RNG: s.RNG, Groups: map[string]map[string]numbers{}}
	for name, group := range s.groups() {
		whole.Groups[name] = map[string]numbers{}
		for key, t := range group {
			n := numbers{Shape: t.Shape, Bytes: []byte{}}
			for _, x := range t.Data {
				n.Bytes = binary.BigEndian.AppendUint32(n.Bytes, math.Float32bits(x))
			}
			whole.Groups[name][key] = n
		}
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return fmt.Errorf("the checkpoint %s cannot be written: %w", path, err)
	}
	content := append(fmt.Appendf(nil, "stubformer run %020d\n", len(text)), text...)
	sum := sha256.Sum256(content)
	return replaceFile(path, func(w io.Writer) error {
		_, err := w.Write(append(content, sum[:]...))
		return err
	})
}

func Load(path string) (*State, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be opened: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be examined: %w", err)
	}
	first := make([]byte, len("stubformer run ")+21)
	n, err := io.ReadFull(file, first)
	if !bytes.HasPrefix(first[:n], []byte("stubformer run ")) {
		return nil, fmt.Errorf("%s is not a checkpoint", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is cut off in its first line", path)
	}
	var length int64
	if _, err := fmt.Sscanf(string(first), "stubformer run %d\n", &length); err != nil || length < 0 {
		return nil, fmt.Errorf("%s is damaged: its first line names no length", path)
	}
	switch whole := int64(len(first)) + length + sha256.Size; {
	case info.Size() < whole:
		return nil, fmt.Errorf("%s is cut off: it has %d of %d bytes", path, info.Size(), whole)
	case info.Size() > whole:
		return nil, fmt.Errorf("%s is damaged: it has %d bytes and names %d", path, info.Size(), whole)
	}
	rest, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if int64(len(rest)) != length+sha256.Size {
		return nil, fmt.Errorf("%s is cut off", path)
	}
	text, stored := rest[:length], rest[length:]
	sum := sha256.New()
	sum.Write(first)
	sum.Write(text)
	if !bytes.Equal(sum.Sum(nil), stored) {
		return nil, fmt.Errorf("%s is damaged: its checksum does not match", path)
	}
	var whole document
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	s := &State{Config: whole.Config, Step: whole.Step, RNG: whole.RNG,
		Params: map[string]*tensor.Tensor{}, M: map[string]*tensor.Tensor{}, V: map[string]*tensor.Tensor{}}
	for name, group := range s.groups() {
		for key, n := range whole.Groups[name] {
			if floatsOf(n.Shape, int64(len(n.Bytes)/4)) != int64(len(n.Bytes)/4) || len(n.Bytes)%4 != 0 {
				return nil, fmt.Errorf("%s is damaged: %s %s has not as many numbers as its shape", path, name, key)
			}
			group[key] = tensor.New(n.Shape...)
			for i := range group[key].Data {
				group[key].Data[i] = math.Float32frombits(binary.BigEndian.Uint32(n.Bytes[4*i:]))
			}
		}
	}
	return s, nil
}

type document struct {
	Config lm.Config
	Step   int
	RNG    []byte
	Groups map[string]map[string]numbers
}

type numbers struct {
	Shape []int
	Bytes []byte
}

// length-by-the-largest: the length of the gradient relative to its largest number, in float64 throughout
//
// Why: √(Σ g²) = a·√(Σ (g/a)²); the factor is the one of the contract.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	largest, finite := 0.0, true
	each := func(do func(g *float32)) {
		for _, p := range params {
			for i := range p.Grad.Data {
				do(&p.Grad.Data[i])
			}
		}
	}
	each(func(g *float32) {
		x := math.Abs(float64(*g))
		finite = finite && !math.IsNaN(x) && !math.IsInf(x, 0)
		largest = max(largest, x)
	})
	if largest == 0 {
		return 0
	}
	squares := 0.0
	each(func(g *float32) {
		x := float64(*g)
		if finite {
			x /= largest
		}
		squares += x * x
	})
	norm := math.Sqrt(squares)
	if finite {
		norm *= largest
	}
	if norm > maxNorm {
		factor := maxNorm / (norm + 1e-6)
		each(func(g *float32) { *g = float32(float64(*g) * factor) })
	}
	return norm
}

// a-channel-of-work: the parallel loop hands its numbers out through a channel and collects what its workers say
//
// Why: every call is made once, run returns after all of them, and a panic is handed
// to the caller's goroutine.
func (t *team[W]) run(n int, with W) {
	work, said := make(chan int, n), make(chan any, n)
	for i := range n {
		work <- i
	}
	close(work)
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := range work {
				func() {
					defer func() {
						if p := recover(); p != nil {
							said <- p
						}
					}()
					t.do(i, with)
				}()
			}
		})
	}
	all.Wait()
	close(said)
	if p, some := <-said; some {
		panic(p)
	}
}
