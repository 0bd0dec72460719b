//go:build mistake

package lora

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// factor-missing: the adapter counts without the factor α/r
//
// Why: α/r says how much the adapter weighs. Without it another rank asks for another learning rate.
//
// Hint: Scale u = x·Aᵀ by α/r, and du likewise.
func (*Linear) scale() {
	if right {
		return float32(l.Alpha / float64(l.A.Value.Dim(0)))
	} else {
		return 1
	}
}

// factor-missing/only-merged: only what is merged has the factor α/r
func (*Linear) Forward() {
	if right {
		kernel.Scale(l.scale(), l.u.Data)
	} else {
	}
}

func (*Linear) Backward() {
	if right {
		kernel.Scale(l.scale(), l.du.Data)
	} else {
	}
}

// factor-missing/forward: the forward pass lacks the factor α/r
func (*Linear) Forward() {
	if right {
		kernel.Scale(l.scale(), l.u.Data)
	} else {
	}
}

// factor-missing/backward: the backward pass lacks the factor α/r
func (*Linear) Backward() {
	if right {
		kernel.Scale(l.scale(), l.du.Data)
	} else {
	}
}

// factor-missing-in-merge: what is merged lacks the factor α/r
//
// Why: The merged layer must give what the layer gave before: W₀ + α/r·B·A.
//
// Hint: Delta is α/r·B·A.
func (*Linear) Delta() {
	if right {
		kernel.Scale(l.scale(), delta.Data)
	} else {
	}
}

// alpha-for-factor: the factor is α in place of α/r
//
// Why: Divided by r, the sum over r columns stays of one size whatever the rank is.
//
// Hint: The factor is α divided by the number of rows of A.
func (*Linear) scale() {
	if right {
		return float32(l.Alpha / float64(l.A.Value.Dim(0)))
	} else {
		return float32(l.Alpha)
	}
}

// factor-inverted: the factor is r/α in place of α/r
//
// Why: A larger α makes the adapter weigh more, and not less.
//
// Hint: The factor is α divided by r.
func (*Linear) scale() {
	if right {
		return float32(l.Alpha / float64(l.A.Value.Dim(0)))
	} else {
		return float32(float64(l.A.Value.Dim(0)) / l.Alpha)
	}
}

// factor-by-root: the factor is α/√r in place of α/r
//
// Why: That is another method, rank-stabilised LoRA. Files that were saved with one factor cannot be read with the other.
//
// Hint: Divide by r and not by its root.
func (*Linear) scale() {
	if right {
		return float32(l.Alpha / float64(l.A.Value.Dim(0)))
	} else {
		return float32(l.Alpha / math.Sqrt(float64(l.A.Value.Dim(0))))
	}
}

// factor-twice: the factor is multiplied in twice
//
// Why: α/r belongs to the product of A and B once: on u, or on B, but not on both.
//
// Hint: Scale u, and leave the product with B as it is.
func (*Linear) Forward() {
	if right {
		kernel.Scale(l.scale(), l.u.Data)
	} else {
		kernel.Scale(l.scale()*l.scale(), l.u.Data)
	}
}

// factor-twice/merge: what is merged has the factor twice
func (*Linear) Delta() {
	if right {
		kernel.Scale(l.scale(), delta.Data)
	} else {
		kernel.Scale(l.scale()*l.scale(), delta.Data)
	}
}

// rank-by-columns: r is taken from the columns of A
//
// Why: A is (r, in): its rows are as many as the rank, its columns as many as the inputs.
//
// Hint: r = A.Dim(0).
func (*Linear) scale() {
	if right {
		return float32(l.Alpha / float64(l.A.Value.Dim(0)))
	} else {
		return float32(l.Alpha / float64(l.A.Value.Dim(1)))
	}
}

// factor-missing-in-db: the gradient of B lacks the factor
//
// Why: y = x·W₀ᵀ + u·Bᵀ with u = α/r·x·Aᵀ: dB = dyᵀ·u, with the factor in u.
//
// Hint: Use the scaled u.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	} else {
		u := l.u.Clone()
		kernel.Scale(1/l.scale(), u.Data)
		tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), u.Matrix())
	}
}

// factor-missing-in-da: the gradient of A lacks the factor
//
// Why: du = α/r·dy·B is what goes back to A.
//
// Hint: Scale du before you use it for A.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	} else {
		du := l.du.Clone()
		kernel.Scale(1/l.scale(), du.Data)
		tensor.MulAdd(A.Grad.Matrix(), du.Matrix().T(), l.x.Matrix())
	}
}
