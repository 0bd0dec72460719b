package formats

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Shrink gives every matrix among the parameters the values that it has after it was
// stored in a format: f32, bf16, fp16, int8 (in groups of 64) or int4. They are written
// into the Value that is there: others may hold it too. Everything else, the gains of
// the norms, stays as it is: they are few, and every number of a row is multiplied by
// them. It returns how many bytes all parameters take then, with their scales, which
// are float32.
//
// It is an error to name another format; then nothing has changed.
func Shrink(params []*tensor.Param, format string) (bytes int, err error) {
	store, ok := formats()[format]
	if !ok {
		return 0, fmt.Errorf("there is no format %q; want f32, bf16, fp16, int8 or int4", format)
	}
	for _, p := range params {
		if len(p.Value.Shape) != 2 {
			bytes += 4 * p.Value.Len()
			continue
		}
		bytes += store(p.Value)
	}
	return bytes, nil
}

// formats returns for every format what stores a matrix and reads it back in place,
// and says how many bytes that took.
func formats() map[string]func(w *tensor.Tensor) int {
	return map[string]func(w *tensor.Tensor) int{
		"f32": func(w *tensor.Tensor) int { return 4 * w.Len() },
		"bf16": func(w *tensor.Tensor) int {
			return each(w, func(x float32) float32 { return RoundBF16(x).Float32() })
		},
		"fp16": func(w *tensor.Tensor) int {
			return each(w, func(x float32) float32 { return RoundFP16(x).Float32() })
		},
		"int8": func(w *tensor.Tensor) int {
			m := QuantizeInt8(nil, w, Group)
			copy(w.Data, m.Dequantize().Data)
			return len(m.Q) + 4*len(m.Scale)
		},
		"int4": func(w *tensor.Tensor) int {
			m := QuantizeInt4(w)
			copy(w.Data, m.Dequantize().Data)
			return len(m.Q) + 4*len(m.Scale)
		},
	}
}

// each rounds every number of w to 16 bits.
func each(w *tensor.Tensor, round func(x float32) float32) int {
	for i, x := range w.Data {
		w.Data[i] = round(x)
	}
	return 2 * w.Len()
}
