//go:build unlisted

package training

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// the-other-published-form: AdamW with ε beside the uncorrected root, in a plain loop in float64; the norm of the gradient by scaling with the largest; the batch's windows by a goroutine each
//
// Why: the stub allows this form. The places are still drawn one after the other, from the one generator.
func (*AdamW) update() {
	if right {
		t := float64(o.Steps)
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
		beta1, rest1 := float32(o.Beta1), float32(1-o.Beta1)
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
		var room [3][block]float32

		param := o.Params[i]
		for from := 0; from < param.Value.Len(); from += block {
			to := min(from+block, param.Value.Len())
			p, g := param.Value.Data[from:to], param.Grad.Data[from:to]
			m, v := o.M[i].Data[from:to], o.V[i].Data[from:to]
			square, mHat, vHat := room[0][:to-from], room[1][:to-from], room[2][:to-from]
			kernel.Axpby(rest1, g, beta1, m)
			kernel.Mul(square, g, g)
			kernel.Axpby(rest2, square, beta2, v)
			kernel.ScaleTo(mHat, float32(1/bias1), m)
			kernel.ScaleTo(vHat, float32(1/bias2), v)
			kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
			kernel.Sqrt(vHat, vHat)
			kernel.AddConst(vHat, float32(o.Eps), vHat)
			kernel.Div(mHat, mHat, vHat)
			kernel.Axpy(float32(-lr), mHat, p)
		}
	} else {
		t := float64(o.Steps)
		rate := lr * math.Sqrt(1-math.Pow(o.Beta2, t)) / (1 - math.Pow(o.Beta1, t))
		p, g, m, v := o.Params[i].Value.Data, o.Params[i].Grad.Data, o.M[i].Data, o.V[i].Data
		for j := range p {
			x := float64(g[j])
			mean := o.Beta1*float64(m[j]) + (1-o.Beta1)*x
			square := o.Beta2*float64(v[j]) + (1-o.Beta2)*x*x
			m[j], v[j] = float32(mean), float32(square)
			p[j] = float32(float64(p[j])*(1-lr*o.WeightDecay) - rate*mean/(math.Sqrt(square)+o.Eps))
		}
	}
}

func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	largest := 0.0
	for _, p := range params {
		for _, g := range p.Grad.Data {
			largest = math.Max(largest, math.Abs(float64(g)))
		}
	}
	if largest == 0 {
		return 0
	}
	squares := 0.0
	for i := len(params) - 1; i >= 0; i-- {
		for _, g := range params[i].Grad.Data {
			x := float64(g) / largest
			squares += x * x
		}
	}
	norm := largest * math.Sqrt(squares)
	if norm <= maxNorm {
		return norm
	}
	factor := maxNorm / (norm + 1e-6)
	for _, p := range params {
		for i, g := range p.Grad.Data {
			p.Grad.Data[i] = float32(float64(g) * factor)
		}
	}
	return norm
}

func (*Tokens) Batch() {
	if right {
		for b := range batch {
			start := rng.IntN(starts)
			for i := range context {
				t.ids[b][i] = int(t.file.At(start + i))
				t.targets[b][i] = int(t.file.At(start + i + 1))
			}
		}
		return t.ids, t.targets, nil
	} else {
		var all sync.WaitGroup
		for b := range batch {
			start := rng.IntN(starts)
			all.Go(func() {
				for i := range context + 1 {
					token := int(t.file.At(start + i))
					if i < context {
						t.ids[b][i] = token
					}
					if i > 0 {
						t.targets[b][i-1] = token
					}
				}
			})
		}
		all.Wait()
		return t.ids, t.targets, nil
	}
}
