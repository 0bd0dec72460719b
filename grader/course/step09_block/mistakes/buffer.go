//go:build mistake

package block

// x-overwritten: the residual is added in place, to x itself
//
// Why: Norm1 keeps x for its backward pass, and finds y there instead. In Python x = x + … makes a
// new tensor; x += … does not.
//
// Hint: Write y and z to buffers of the block's own.
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(x.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
		copy(b.y.Data, x.Data)
	}
}

// x-overwritten/both: both residuals are added in place, to x itself
func (*Block) Forward() {
	if right {
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	} else {
		kernel.Add(x.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)
	}
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(x.Data, x.Data, b.FFN.Forward(b.Norm2.Forward(x)).Data)
		copy(b.z.Data, x.Data)
	}
}

// y-overwritten: z is written to the memory of y, which the second norm still needs for its
// backward pass
//
// Why: A layer keeps its input by reference. Whoever made it leaves it unchanged until the
// backward pass.
//
// Hint: y and z each need a buffer of their own.
func (*Block) Forward() {
	if right {
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
	} else {
		kernel.Add(b.y.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
		copy(b.z.Data, b.y.Data)
	}
}

// dz-overwritten: the gradient is added in place, to the caller's dz
//
// Why: dz belongs to the caller, who may still need it.
//
// Hint: Add into a buffer of the block's own.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(dz.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
		copy(b.dy.Data, dz.Data)
	}
}

// dw-overwritten: the gradients are cleared before the new ones are added
//
// Why: Gradients collect over calls until the optimiser clears them.
//
// Hint: Do not clear a gradient in Backward.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
	} else {
		for _, p := range b.Params() {
			p.ZeroGrad()
		}
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
	}
}

// params-out-of-order: Params lists the parameters in another order
//
// Why: A checkpoint and an optimiser rely on the order of the parameters.
//
// Hint: ln1, q, k, v, output, ln2, w1, w2, w3.
func (*Block) Params() {
	if right {
		params := []*tensor.Param{named("ln1.weight", b.Norm1.Gain)}
	} else {
		params := []*tensor.Param{named("ln1.weight", b.Norm1.Gain), named("ln2.weight", b.Norm2.Gain)}
	}
	if right {
		return append(params, named("ln2.weight", b.Norm2.Gain),
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
	} else {
		return append(params,
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
	}
}

// params-out-of-order/w3-before-w2: Params lists w3 before w2
func (*Block) Params() {
	if right {
		return append(params, named("ln2.weight", b.Norm2.Gain),
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
	} else {
		return append(params, named("ln2.weight", b.Norm2.Gain),
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w3.weight", b.FFN.W3.Weight), named("ffn.w2.weight", b.FFN.W2.Weight))
	}
}

// params-out-of-order/norms-exchanged: Params lists the two norms in the other order
func (*Block) Params() {
	if right {
		params := []*tensor.Param{named("ln1.weight", b.Norm1.Gain)}
	} else {
		params := []*tensor.Param{named("ln1.weight", b.Norm2.Gain)}
	}
	if right {
		return append(params, named("ln2.weight", b.Norm2.Gain),
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
	} else {
		return append(params, named("ln2.weight", b.Norm1.Gain),
			named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
	}
}
