//go:build unlisted

package swiglu

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// hidden-of-package: hidden is a variable of the package
//
// Why: When a second network runs Forward in between, the first one's W2 gets its gradient from the other's hidden layer.
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	} else {
		sharedHidden = tensor.Reuse(sharedHidden, s.gate.Shape...)
		s.hidden = sharedHidden
	}
}

var sharedHidden *tensor.Tensor

// act-of-package: the activated gate is a variable of the package
//
// Why: When a second network runs Forward in between, the first one's Backward works with the other's SiLU(gate).
func (*SwiGLU) Forward() {
	if right {
		s.act = tensor.Reuse(s.act, s.gate.Shape...)
	} else {
		sharedAct = tensor.Reuse(sharedAct, s.gate.Shape...)
		s.act = sharedAct
	}
}

var sharedAct *tensor.Tensor

// act-made-once: the activated gate is made by the first Forward and keeps its size
//
// Why: A second Forward with another number of rows panics, because the lengths differ.
func (*SwiGLU) Forward() {
	if right {
		s.act = tensor.Reuse(s.act, s.gate.Shape...)
	} else {
		if s.act == nil {
			s.act = tensor.New(s.gate.Shape...)
		}
	}
}

// dgate-made-once: dGate is made by the first Backward and keeps its size
//
// Why: Backward after a Forward with another number of rows panics, because the lengths differ.
func (*SwiGLU) Backward() {
	if right {
		s.dGate = tensor.Reuse(s.dGate, dAct.Shape...)
	} else {
		if s.dGate == nil {
			s.dGate = tensor.New(dAct.Shape...)
		}
	}
}

// sigmoids-only-grow: SiLU keeps the sigmoids of its longest x in a variable of the package and does not empty it
//
// Why: SiLU of an x that is shorter than an earlier one panics in the product of slices of different lengths.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	if len(sigmoids) < len(x) {
		sigmoids = make([]float32, len(x))
	}
	kernel.Sigmoid(sigmoids[:len(x)], x)
	kernel.Mul(dst, sigmoids, x)
}

var sigmoids []float32

// gate-gradient-overwritten: the gradients of W1 and W3 are cleared before they are added
//
// Why: What the gradients of w1 and w3 held before is lost, while w2's adds up.
func (*SwiGLU) Backward() {
	if right {
		dx := s.W1.Backward(s.dGate)
	} else {
		s.W1.Weight.ZeroGrad()
		s.W3.Weight.ZeroGrad()
		dx := s.W1.Backward(s.dGate)
	}
}

// hidden-in-memory-of-act: the hidden layer overwrites the activated gate
//
// Why: Backward takes hidden for SiLU(gate), so that dUp has a factor up too many.
func (*SwiGLU) Forward() {
	if right {
		s.hidden = tensor.Reuse(s.hidden, s.gate.Shape...)
	} else {
		s.hidden = s.act
	}
}

// dact-before-dup: dHidden is overwritten by dAct before dUp is made of it
//
// Why: dUp is made of dAct and not of dHidden: it has a factor up too many, and w3's gradient and dx with it.
func (*SwiGLU) Backward() {
	if right {
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
	}
}

// up-used-up: Backward makes dUp in the memory of up
//
// Why: A second Backward of the same Forward finds dUp where up was and gives wrong gradients.
func (*SwiGLU) Backward() {
	if right {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.act.Data)
		dAct := dHidden
		kernel.Mul(dAct.Data, dHidden.Data, s.up.Data)
	} else {
		s.dUp = tensor.Reuse(s.dUp, dHidden.Shape...)
		kernel.Mul(s.dUp.Data, dHidden.Data, s.up.Data)
		kernel.Mul(s.up.Data, dHidden.Data, s.act.Data)
		dAct := dHidden
		copy(dAct.Data, s.dUp.Data)
		copy(s.dUp.Data, s.up.Data)
	}
}

// gradient-added-in-silu: SiLUBackward adds to dx
//
// Why: dx is not overwritten: what it held stays in the sum, so that a second Backward adds the first one's gradient of the gate.
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
		for i, s := range dx {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] = dy[i] * slope
		}
	} else {
		sigmoid := make([]float32, len(x))
		kernel.Sigmoid(sigmoid, x)
		for i, s := range sigmoid {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] += dy[i] * slope
		}
	}
}
