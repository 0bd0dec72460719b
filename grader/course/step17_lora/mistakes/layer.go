//go:build mistake

package lora

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// adapter-ignored: the output lacks the adapter
//
// Why: y = x·W₀ᵀ + α/r·(x·Aᵀ)·Bᵀ.
//
// Hint: Add the product of u and Bᵀ to y.
func (*Linear) Forward() {
	if right {
		tensor.MulAdd(l.y.Matrix(), l.u.Matrix(), B.Matrix().T())
	} else {
		_ = B
	}
}

// adapter-alone: the output is the adapter alone
//
// Why: The adapter stands beside the frozen weight and is added to what that makes.
//
// Hint: y begins as x·W₀ᵀ, and the adapter is added with MulAdd.
func (*Linear) Forward() {
	if right {
		tensor.MulAdd(l.y.Matrix(), l.u.Matrix(), B.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), l.u.Matrix(), B.Matrix().T())
	}
}

// adapter-subtracted: the adapter is subtracted
//
// Why: W = W₀ + α/r·B·A.
//
// Hint: Add.
func (*Linear) Forward() {
	if right {
		kernel.Scale(l.scale(), l.u.Data)
	} else {
		kernel.Scale(-l.scale(), l.u.Data)
	}
}

// dx-without-adapter: the gradient of the input lacks the path through the adapter
//
// Why: x was read twice, by W₀ and by A: the layers below learn from both.
//
// Hint: dx = dy·W₀ + du·A.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
	} else {
	}
}

// dx-without-weight: the gradient of the input lacks the path through W₀
//
// Why: W₀ is not trained, but what is below it is: a constant factor is still a factor.
//
// Hint: dx = dy·W₀ + du·A.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
	} else {
		tensor.Mul(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
	}
}

// dx-through-merged-adapter-twice: the path through the adapter is counted twice in the gradient of the input
//
// Why: x is once in u = α/r·x·Aᵀ.
//
// Hint: Add du·A once.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
	} else {
		tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
		tensor.MulAdd(l.dx.Matrix(), l.du.Matrix(), A.Value.Matrix())
	}
}

// da-through-weight: the gradient of A is found by way of W₀
//
// Why: A sees the loss through B and through nothing else.
//
// Hint: du = α/r·dy·B, and dA = duᵀ·x.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.du.Matrix(), dy.Matrix(), B.Value.Matrix())
	} else {
		through := tensor.New(l.x.Shape...)
		tensor.Mul(through.Matrix(), dy.Matrix(), W.Matrix())
		tensor.Mul(l.du.Matrix(), through.Matrix(), A.Value.Matrix().T())
	}
}

// weight-has-gradient: W₀ gets a gradient
//
// Why: It is thrown away, costs as much as dx, and moves W₀ as soon as an optimiser finds it.
//
// Hint: Leave that product out.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	} else {
		tensor.MulAdd(l.Weight.Grad.Matrix(), dy.Matrix().T(), l.x.Matrix())
		tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	}
}

// gradient-overwritten: the gradients of A and B are overwritten
//
// Why: Several calls of Backward add up to the gradient of a batch.
//
// Hint: tensor.MulAdd, and not Mul.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	} else {
		tensor.Mul(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	}
}

func (*Linear) Backward() {
	if right {
		tensor.MulAdd(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	} else {
		tensor.Mul(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	}
}

// gradient-overwritten/a: the gradient of A is overwritten
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	} else {
		tensor.Mul(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	}
}

// gradient-overwritten/b: the gradient of B is overwritten
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	} else {
		tensor.Mul(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	}
}

// gradients-exchanged-factors: the gradient of A is made with u in the place of du
//
// Why: dB has u as a factor, dA has du.
//
// Hint: dB += dyᵀ·u, dA += duᵀ·x.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.du.Matrix(), dy.Matrix(), B.Value.Matrix())
	} else {
		l.du = l.u.Clone()
	}
}

// b-left-out-of-da: the gradient of B is missing
//
// Why: B is zero at first: without a gradient it stays so, and with it everything.
//
// Hint: dB += dyᵀ·u.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(B.Grad.Matrix(), dy.Matrix().T(), l.u.Matrix())
	} else {
	}
}

// a-has-no-gradient: the gradient of A is missing
//
// Why: Only B would learn then, on directions that were drawn at random.
//
// Hint: dA += duᵀ·x.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(A.Grad.Matrix(), l.du.Matrix().T(), l.x.Matrix())
	} else {
	}
}

// product-in-every-call: the product B·A is made in every call
//
// Why: The result is right, and the point is lost: the product is as large as W₀, and costs r multiplications for each of its numbers.
//
// Hint: First x·Aᵀ, which is narrow, then ·Bᵀ.
func (*Linear) Forward() {
	if right {
		tensor.MulAdd(l.y.Matrix(), l.u.Matrix(), B.Matrix().T())
	} else {
		whole := l.Delta()
		tensor.MulAdd(l.y.Matrix(), x.Matrix(), whole.Matrix().T())
		_ = B
	}
}
