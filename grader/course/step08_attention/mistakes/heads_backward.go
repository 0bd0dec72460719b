//go:build mistake

package attention

// one-gradient-lost: the gradient of one of q, k and v is not passed on to the projection
//
// Why: x reaches the output on three ways, and each of them hands a gradient back.
//
// Hint: dQKV has dq in columns 0 to D, dk in D to 2D, dv in 2D to 3D.
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dv, 2*d)
	} else {
		_ = dv
	}
}

// one-gradient-lost/k: the gradient of k is not passed on to the projection
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dk, d)
	} else {
		_ = dk
	}
}

// one-gradient-lost/q: the gradient of q is not passed on to the projection
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dq, 0)
	} else {
		_ = dq
	}
}

// dx-overwritten: dx comes from one of the three projections alone: the parts overwrite each other
// instead of adding up
//
// Why: x is used three times, so its gradient is the sum of three.
//
// Hint: dx = dq·W_Q + dk·W_K + dv·W_V; a product with the joint weight adds them up.
func (*MultiHead) Backward() {
	if right {
		return m.QKV.Backward(m.dQKV)
	} else {
		dx := m.QKV.Backward(m.dQKV)
		values, W := m.dQKV.Matrix().Block(0, 2*d, dx.Rows(), d), m.QKV.Weight.Value.Matrix().Block(2*d, 0, d, d)
		tensor.Mul(dx.Matrix(), values, W)
		return dx
	}
}

// dx-overwritten/first: dx comes from the projection of the queries alone
func (*MultiHead) Backward() {
	if right {
		return m.QKV.Backward(m.dQKV)
	} else {
		dx := m.QKV.Backward(m.dQKV)
		queries, W := m.dQKV.Matrix().Block(0, 0, dx.Rows(), d), m.QKV.Weight.Value.Matrix().Block(0, 0, d, d)
		tensor.Mul(dx.Matrix(), queries, W)
		return dx
	}
}

// dw-overwritten: the gradients of the projections are cleared before the new ones are added
//
// Why: Gradients collect over calls until the optimiser clears them.
//
// Hint: Do not clear a gradient in Backward.
func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		m.QKV.Weight.ZeroGrad()
		m.Output.Weight.ZeroGrad()
		dJoined := m.Output.Backward(dy)
	}
}

// dw-overwritten/qkv: the gradients of the projections to q, k and v are cleared before the new
// ones are added
func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		m.QKV.Weight.ZeroGrad()
		dJoined := m.Output.Backward(dy)
	}
}

// dw-overwritten/output: the gradient of the output projection is cleared before the new one is
// added
func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		m.Output.Weight.ZeroGrad()
		dJoined := m.Output.Backward(dy)
	}
}

// params-out-of-order: Params lists k_proj before q_proj
//
// Why: A checkpoint and an optimiser rely on the order of the parameters.
//
// Hint: q, k, v, output, in this order.
func (*MultiHead) Params() {
	if right {
		return []*tensor.Param{
			qkv.Slice("q_proj.weight", 0, d),
			qkv.Slice("k_proj.weight", d, 2*d),
			qkv.Slice("v_proj.weight", 2*d, 3*d),
			output.Slice("output_proj.weight", 0, d),
		}
	} else {
		return []*tensor.Param{
			qkv.Slice("k_proj.weight", d, 2*d),
			qkv.Slice("q_proj.weight", 0, d),
			qkv.Slice("v_proj.weight", 2*d, 3*d),
			output.Slice("output_proj.weight", 0, d),
		}
	}
}
