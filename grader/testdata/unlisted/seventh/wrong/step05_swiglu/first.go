//go:build unlisted

package swiglu

import (
	"math"
	"slices"
)

// silu-by-exp-of-x: SiLU is x·eˣ/(1 + eˣ), in float64
//
// Why: SiLU(1000) is NaN, since e¹⁰⁰⁰ is no float64 either; it should be 1000.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, v := range x {
			e := math.Exp(float64(v))
			dst[i] = float32(float64(v) * e / (1 + e))
		}
	}
}

// silu-memory-of-the-package: SiLU keeps the sigmoids in a variable of the package
//
// Why: two goroutines that call it at the same time spoil each other's numbers.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		sigmas = slices.Grow(sigmas[:0], len(x))[:len(x)]
		kernel.Sigmoid(sigmas, x)
		kernel.Mul(dst, sigmas, x)
	}
}

var sigmas []float32

// silu-x-may-be-longer: refuses an x shorter than dst only
//
// Why: lengths that differ panic; a longer x is cut off in silence.
func SiLU() {
	if right {
		checkLength("SiLU: x", x, dst)
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		if len(x) < len(dst) {
			panic(tensor.ShapeError{Op: "SiLU: x", Got: []int{len(x)}, Want: []int{len(dst)}})
		}
		kernel.Sigmoid(dst, x[:len(dst)])
		kernel.Mul(dst, dst, x[:len(dst)])
	}
}

// silu-got-and-want-exchanged: the error says that dst was got and x was wanted
//
// Why: the comment gives the panic word for word: Got is len(x), Want is len(dst).
func SiLU() {
	if right {
		checkLength("SiLU: x", x, dst)
	} else {
		checkLength("SiLU: x", dst, x)
	}
}

// silu-of-gelu: σ(1.702·x) in place of σ(x), the approximation of GELU
//
// Why: SiLU(1) is 0.7311 and not 0.8458.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
	} else {
		for i, v := range x {
			dst[i] = 1.702 * v
		}
		kernel.Sigmoid(dst, dst)
	}
}

// slope-by-quotient: σ' is e⁻ˣ/(1 + e⁻ˣ)²
//
// Why: for x = −1000 it is Inf/Inf, NaN; SiLUBackward is finite for every finite x.
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
	} else {
		e := math.Exp(-float64(x[i]))
		ds := float32(e / ((1 + e) * (1 + e)))
	}
}

// slope-without-sigma: SiLU' is σ·(1 + x)·(1 − σ)
//
// Why: it is σ·(1 + x·(1 − σ)); the parenthesis stands in the wrong place.
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := (1 + x[i]) * ds
	}
}

// slope-added-to-dx: the gradient is added to what dx held
//
// Why: dx is overwritten; in reused memory the gradient of the last step stays in it.
func SiLUBackward(dx, x, dy []float32) {
	checkLength("SiLUBackward: x", x, dx)
	checkLength("SiLUBackward: dy", dy, dx)
	sigma := make([]float32, len(x))
	kernel.Sigmoid(sigma, x)
	for i, s := range sigma {
		dx[i] += dy[i] * s * (1 + x[i]*(1-s))
	}
}

// dy-of-any-length: the length of dy is not looked at
//
// Why: a longer dy is accepted, a shorter one panics without a ShapeError.
func SiLUBackward() {
	if right {
		checkLength("SiLUBackward: x", x, dx)
		checkLength("SiLUBackward: dy", dy, dx)
	} else {
		checkLength("SiLUBackward: x", x, dx)
	}
}

// dff-tie-to-even: rounds with math.RoundToEven
//
// Why: a tie rounds up: DFF(60) is 192, between 128 and 192 at 160, and here 128.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return max(64, 64*int(math.RoundToEven(float64(dModel)*8/3/64)))
	}
}

// dff-no-minimum: small models get no hidden layer
//
// Why: DFF is at least 64; DFF(8) is 0 here.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return (8*dModel/3 + 32) / 64 * 64
	}
}

// dff-rounded-up: the next multiple of 64 above 8/3·D, as Llama does with 256
//
// Why: DFF(512) is 1344, the nearest, and here 1408.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return (8*dModel/3 + 63) / 64 * 64
	}
}

// gate-and-value-exchanged: the activation is taken of x W3ᵀ
//
// Why: W1 is the gate.
func (*SwiGLU) Forward() {
	if right {
		s.gate = s.W1.Forward(x)
		s.up = s.W3.Forward(x)
	} else {
		s.gate = s.W3.Forward(x)
		s.up = s.W1.Forward(x)
	}
}

func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
		kernel.Add(dx.Data, dx.Data, s.W3.Backward(s.dUp).Data)
	} else {
		dx := s.W3.Backward(s.dGate)
		kernel.Add(dx.Data, dx.Data, s.W1.Backward(s.dUp).Data)
	}
}

// hidden-over-act: hidden is written over SiLU(gate), to save a tensor
//
// Why: Backward needs SiLU(gate) for dUp and finds SiLU(gate) ⊙ up.
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	} else {
		s.hidden = s.act
		kernel.Mul(s.hidden.Data, s.act.Data, s.up.Data)
	}
}

// tensors-of-the-package: all networks share the tensors of the hidden layer
//
// Why: after the Forward of a second network the Backward of the first uses the second's numbers.
func (*SwiGLU) Forward() {
	if right {
		s.act = tensor.Reuse(s.act, s.gate.Shape...)
		SiLU(s.act.Data, s.gate.Data)
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	} else {
		shared.act = tensor.Reuse(shared.act, s.gate.Shape...)
		shared.hidden = tensor.Reuse(shared.hidden, s.gate.Shape...)
		s.act, s.hidden = shared.act, shared.hidden
		SiLU(s.act.Data, s.gate.Data)
	}
}

var shared struct{ act, hidden *tensor.Tensor }

// size-of-the-first-batch: the tensors between are made in the first Forward and stay as they are
//
// Why: a Forward with another number of rows panics.
func (*SwiGLU) Forward() {
	if right {
		s.act = tensor.Reuse(s.act, s.gate.Shape...)
		SiLU(s.act.Data, s.gate.Data)
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	} else {
		if s.act == nil {
			s.act, s.hidden = tensor.New(s.gate.Shape...), tensor.New(s.gate.Shape...)
		}
		SiLU(s.act.Data, s.gate.Data)
	}
}

// x-kept-before-check: x is kept before its width is looked at
//
// Why: after a refused Forward the Backward of the last good one is refused as well.
func (*SwiGLU) Forward() {
	if right {
		tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
		s.x = x
	} else {
		s.x = x
		tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	}
}

// slope-at-act: SiLU' is taken at SiLU(gate)
//
// Why: it is taken at gate.
func (*SwiGLU) Backward() {
	if right {
		SiLUBackward(s.dGate.Data, s.gate.Data, dAct.Data)
	} else {
		SiLUBackward(s.dGate.Data, s.act.Data, dAct.Data)
	}
}

// dact-before-dup: dHidden's memory is given to dAct before dUp was computed
//
// Why: dUp is dHidden ⊙ up ⊙ act.
func (*SwiGLU) Backward() {
	if right {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)

		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)

		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	}
}

// dup-over-act: dUp is written over SiLU(gate)
//
// Why: the first Backward is right, a second one finds dUp where SiLU(gate) was.
func (*SwiGLU) Backward() {
	if right {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
	} else {
		s.dUp = s.act
	}
}

// gradients-cleared: Backward sets the gradients of the weights to 0 first
//
// Why: it adds to them; what they held is lost.
func (*SwiGLU) Backward() {
	if right {
		dHidden := s.W2.Backward(dy)
	} else {
		for _, p := range s.Params() {
			p.ZeroGrad()
		}
		dHidden := s.W2.Backward(dy)
	}
}

// dx-over-dy: dx is copied into dy, which has its shape, and dy is returned
//
// Why: dy must not be changed.
func (*SwiGLU) Backward() {
	if right {
		return dx
	} else {
		copy(dy.Data, dx.Data)
		return dy
	}
}
