//go:build unlisted

package swiglu

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// silu-clamps-the-exponent: x is held within ±80 before the exponential, against overflow
//
// Why: σ(-80) is 1.8e-35 and not 0, which a large x makes visible: SiLU(-1e30) is -1.8e-5, SiLU(-3e38) is -5415 instead of 0.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, v := range x {
			e := math.Exp(-float64(max(-80, min(80, v))))
			dst[i] = v * float32(1/(1+e))
		}
	}
}

// silu-through-the-tanh-in-float32: σ(x) = (1 + tanh(x/2))/2, rounded to float32 before the 1 is added
//
// Why: for negative x the sum cancels: SiLU(-15) has hardly two correct digits left, SiLU(-20) is 0 and not -4e-8.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, v := range x {
			dst[i] = v * ((1 + float32(math.Tanh(float64(v)/2))) / 2)
		}
	}
}

// dff-rounds-ties-to-even: the nearest multiple of 64 is found with math.RoundToEven
//
// Why: a tie rounds up; DFF(36) is 128 either way, but DFF(60) has to be 192 and is 128 here.
func DFF(dModel int) int {
	return 64 * max(1, int(math.RoundToEven(float64(dModel)/24)))
}

// act-is-divided-out-of-hidden: only hidden is kept, and Backward takes SiLU(gate) back as hidden/up
//
// Why: where up is exactly 0 the quotient is guarded and 0, although dUp = dHidden ⊙ SiLU(gate) is not: with W3 = 0 the
// gradient of W3 is 0, and the network never learns.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	} else {
		for i, up := range s.up.Data {
			s.dUp.Data[i] = 0
			if up != 0 {
				s.dUp.Data[i] = dHidden.Data[i] * (s.hidden.Data[i] / up)
			}
		}
	}
}

// dup-takes-the-memory-of-hidden: once W2's Backward is done, hidden is overwritten with dUp
//
// Why: hidden is what W2 keeps; a second Backward of the same Forward gives the right dx, dW1 and dW3, but adds a wrong dW2.
func (*SwiGLU) Backward() {
	if right {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
	} else {
		s.dUp = s.hidden
	}
}

// silu-workers-forget-the-remainder: long slices are divided among eight workers, each with the same number of elements
//
// Why: below 16,384 elements one loop does it all; above, up to seven elements at the end of dst keep what they held.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		const workers = 8
		if len(x) < 1<<14 {
			kernel.Sigmoid(dst, x)
			kernel.Mul(dst, dst, x)
			return
		}
		var wg sync.WaitGroup
		share := len(x) / workers
		for w := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				lo, hi := w*share, (w+1)*share
				kernel.Sigmoid(dst[lo:hi], x[lo:hi])
				kernel.Mul(dst[lo:hi], dst[lo:hi], x[lo:hi])
			}()
		}
		wg.Wait()
	}
}

// sigmoid-in-a-variable-of-the-package: SiLU and its derivative put the sigmoid into one slice that all callers share
//
// Why: two networks in two goroutines, as two workers of a training have, overwrite each other's sigmoid.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		sigmoidOf(x)
		kernel.Mul(dst, sigmoids[:len(x)], x)
	}
}

func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
	} else {
		sigmoidOf(x)
		copy(dx, sigmoids)
	}
}

func sigmoidOf(x []float32) {
	if len(sigmoids) < len(x) {
		sigmoids = make([]float32, len(x))
	}
	kernel.Sigmoid(sigmoids[:len(x)], x)
}

var sigmoids []float32

// silu-backward-takes-a-longer-dy: dy is refused only if it is too short
//
// Why: a dy longer than dx is a mistake that has to panic with a ShapeError; here its end is ignored in silence.
func SiLUBackward() {
	if right {
		checkLength("SiLUBackward: dy", dy, dx)
	} else {
		if len(dy) < len(dx) {
			checkLength("SiLUBackward: dy", dy, dx)
		}
	}
}

// slope-at-zero-is-zero: SiLUBackward skips the elements where x is 0, because SiLU is 0 there
//
// Why: SiLU'(0) is a half. Random numbers are never exactly 0; a row of zeros, or W1 = 0, gives gates that are.
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
		slope := s + x[i]*ds
		dx[i] = dy[i] * slope
	} else {
		if x[i] == 0 {
			dx[i] = 0
			continue
		}
		ds := s * (1 - s)
		slope := s + x[i]*ds
		dx[i] = dy[i] * slope
	}
}

// both-ways-up-in-one-old-matrix: the first Forward stacks copies of W1 and W3 into one matrix and multiplies by that
//
// Why: one product in place of two, but an update of W1 or W3 never reaches it: Forward stays that of the first weights.
type SwiGLU struct {
	W1 *linear.Linear // (F, D), the gate
	W2 *linear.Linear // (D, F), back down
	W3 *linear.Linear // (F, D), the values that the gate lets through

	stacked       *linear.Linear // (2F, D), W1 above W3
	x             *tensor.Tensor // (…, D), what Forward was given
	gate, act, up *tensor.Tensor // (…, F): x W1ᵀ, SiLU of it, and x W3ᵀ
	hidden        *tensor.Tensor // (…, F): act ⊙ up
	dUp, dGate    *tensor.Tensor // (…, F), reused by every Backward
	dx            *tensor.Tensor // (…, D), reused by every Backward
}

func (*SwiGLU) Forward() {
	if right {
		s.gate = s.W1.Forward(x)
		s.up = s.W3.Forward(x)
	} else {
		f, d := s.W1.Weight.Value.Dim(0), s.W1.Weight.Value.Dim(1)
		if s.stacked == nil {
			both := tensor.New(2*f, d)
			copy(both.Data, s.W1.Weight.Value.Data)
			copy(both.Data[f*d:], s.W3.Weight.Value.Data)
			s.stacked = linear.New(tensor.NewParam("w1 and w3", both))
		}
		y := s.stacked.Forward(x)
		s.gate = tensor.ReuseLead(s.gate, x.Lead(1), f)
		s.up = tensor.ReuseLead(s.up, x.Lead(1), f)
		for n := range y.Rows() {
			copy(s.gate.Row(n), y.Row(n)[:f])
			copy(s.up.Row(n), y.Row(n)[f:])
		}
	}
}

func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
		return dx
	} else {
		tensor.MulAdd(s.W1.Weight.Grad.Matrix(), s.dGate.Matrix().T(), s.x.Matrix())
		tensor.MulAdd(s.W3.Weight.Grad.Matrix(), s.dUp.Matrix().T(), s.x.Matrix())
		s.dx = tensor.Reuse(s.dx, s.x.Shape...)
		tensor.Mul(s.dx.Matrix(), s.dGate.Matrix(), s.W1.Weight.Value.Matrix())
		tensor.MulAdd(s.dx.Matrix(), s.dUp.Matrix(), s.W3.Weight.Value.Matrix())
		return s.dx
	}
}
