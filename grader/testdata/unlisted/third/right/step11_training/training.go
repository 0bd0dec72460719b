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

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// blocks-of-k-outside: MatMul takes the blocks of k in the outer loop and the strips of rows from below
//
// Why: every element is still the sum over the blocks of k in the same order, so the result is the same bit for bit; only b is packed in another order.
func multiplyBlocks(dst, a, b tensor.Matrix, accumulate bool) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	rows, cols := w.micro.rows, w.micro.cols
	for p0 := 0; p0 < k; p0 += blockK {
		depth := min(blockK, k-p0)
		for j0 := 0; j0 < n; j0 += blockN {
			width := min(blockN, n-j0)
			pack(w.b, b.Block(p0, j0, depth, width).T(), cols)
			for i0 := (m - 1) / rows * rows; i0 >= 0; i0 -= rows {
				height := min(rows, m-i0)
				pack(w.a, a.Block(i0, p0, height, depth), rows)
				w.multiply(dst.Block(i0, j0, height, width), depth, accumulate || p0 > 0)
			}
		}
	}
}

// adam-in-float64-decay-last: AdamW goes element by element in float64, from the last parameter to the first, and decays after the step
//
// Why: the means are rounded once when they are stored; the two last lines in the opposite order are a published form and count as right.
func (o *AdamW) Step(lr float64) {
	o.Steps++
	correct1, correct2 := 1-math.Pow(o.Beta1, float64(o.Steps)), 1-math.Pow(o.Beta2, float64(o.Steps))
	for i := len(o.Params) - 1; i >= 0; i-- {
		p := o.Params[i]
		for j, g32 := range p.Grad.Data {
			g := float64(g32)
			m := o.Beta1*float64(o.M[i].Data[j]) + (1-o.Beta1)*g
			v := o.Beta2*float64(o.V[i].Data[j]) + (1-o.Beta2)*g*g
			o.M[i].Data[j], o.V[i].Data[j] = float32(m), float32(v)
			x := float64(p.Value.Data[j])
			x -= lr * (m / correct1) / (math.Sqrt(v/correct2) + o.Eps)
			x -= lr * o.WeightDecay * x
			p.Value.Data[j] = float32(x)
		}
	}
}

// checkpoint-as-json: a checkpoint is a start of 48 bytes, big-endian, with a checksum, and one JSON object that holds the bits of all tensors as base64
//
// Why: the form of the file is free; the bits come back, the checksum is checked before anything is read from the JSON, and the file is still replaced whole.
type storedTensor struct {
	Shape []int
	Bits  []byte
}

type stored struct {
	Config       lm.Config
	Step         int
	RNG          []byte
	Params, M, V map[string]storedTensor
}

const (
	jsonMagic = "STUBJSON"
	jsonStart = len(jsonMagic) + 8 + sha256.Size
)

func Save(path string, s *State) error {
	flat := func(tensors map[string]*tensor.Tensor) map[string]storedTensor {
		all := map[string]storedTensor{}
		for name, t := range tensors {
			bits := make([]byte, 0, 4*t.Len())
			for _, x := range t.Data {
				bits = binary.BigEndian.AppendUint32(bits, math.Float32bits(x))
			}
			all[name] = storedTensor{t.Shape, bits}
		}
		return all
	}
	body, err := json.Marshal(stored{s.Config, s.Step, s.RNG, flat(s.Params), flat(s.M), flat(s.V)})
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	start := binary.BigEndian.AppendUint64([]byte(jsonMagic), uint64(jsonStart+len(body)))
	sum := sha256.New()
	sum.Write(start)
	sum.Write(body)
	return replaceFile(path, func(w io.Writer) error {
		for _, part := range [][]byte{start, sum.Sum(nil), body} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

func Load(path string) (*State, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	if len(file) < len(jsonMagic) || string(file[:len(jsonMagic)]) != jsonMagic {
		return nil, fmt.Errorf("%s is not a checkpoint: it does not begin like one", path)
	}
	if len(file) < jsonStart {
		return nil, fmt.Errorf("%s is cut off: it has only %d bytes", path, len(file))
	}
	switch whole := binary.BigEndian.Uint64(file[len(jsonMagic):]); {
	case uint64(len(file)) < whole:
		return nil, fmt.Errorf("%s is cut off: it has %d of %d bytes", path, len(file), whole)
	case uint64(len(file)) > whole:
		return nil, fmt.Errorf("%s is damaged: it is longer than it says", path)
	}
	body, sum := file[jsonStart:], sha256.New()
	sum.Write(file[:len(jsonMagic)+8])
	sum.Write(body)
	if string(sum.Sum(nil)) != string(file[len(jsonMagic)+8:jsonStart]) {
		return nil, fmt.Errorf("%s is damaged: its checksum does not match", path)
	}
	var in stored
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	s := &State{Config: in.Config, Step: in.Step, RNG: in.RNG}
	for _, group := range []struct {
		from map[string]storedTensor
		to   *map[string]*tensor.Tensor
	}{{in.Params, &s.Params}, {in.M, &s.M}, {in.V, &s.V}} {
		*group.to = map[string]*tensor.Tensor{}
		for name, t := range group.from {
			data := make([]float32, len(t.Bits)/4)
			for i := range data {
				data[i] = math.Float32frombits(binary.BigEndian.Uint32(t.Bits[4*i:]))
			}
			count := 1
			for _, d := range t.Shape {
				if d < 0 {
					return nil, fmt.Errorf("%s is damaged: %s has another shape than its numbers", path, name)
				}
				count *= d
			}
			if count != len(data) {
				return nil, errors.New(path + " is damaged: a tensor has another shape than its numbers")
			}
			(*group.to)[name] = tensor.From(data, t.Shape...)
		}
	}
	return s, nil
}
