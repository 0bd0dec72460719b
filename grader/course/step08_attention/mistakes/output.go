//go:build mistake

package attention

// no-output-projection: the output projection is forgotten: the joined heads are returned
//
// Why: Until here the heads know nothing of each other. W_O is where they are mixed.
//
// Hint: return Output.Forward(joined).
func (*MultiHead) Forward() {
	if right {
		return m.Output.Forward(m.joined)
	} else {
		m.Output.Forward(m.joined)
		return m.joined
	}
}

func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		dJoined := dy
	}
}

// no-output-projection/forward-only
func (*MultiHead) Forward() {
	if right {
		return m.Output.Forward(m.joined)
	} else {
		m.Output.Forward(m.joined)
		return m.joined
	}
}

// output-transposed: the output projection is used the wrong way round: y = joined·W_O instead of
// joined·W_Oᵀ
//
// Why: W_O is square, so no shape complains.
//
// Hint: Weights are (out, in): y = x·Wᵀ, as in step 02. Use Output.Forward.
func (*MultiHead) Forward() {
	if right {
		return m.Output.Forward(m.joined)
	} else {
		m.Output.Forward(m.joined)
		y := tensor.New(batch, seq, d)
		tensor.Mul(y.Matrix(), m.joined.Matrix(), m.Output.Weight.Value.Matrix())
		return y
	}
}

func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		dJoined := tensor.New(dy.Shape...)
		tensor.Mul(dJoined.Matrix(), dy.Matrix(), m.Output.Weight.Value.Matrix().T())
		tensor.MulAdd(m.Output.Weight.Grad.Matrix(), m.joined.Matrix().T(), dy.Matrix())
	}
}

// output-transposed/forward-only
func (*MultiHead) Forward() {
	if right {
		return m.Output.Forward(m.joined)
	} else {
		m.Output.Forward(m.joined)
		y := tensor.New(batch, seq, d)
		tensor.Mul(y.Matrix(), m.joined.Matrix(), m.Output.Weight.Value.Matrix())
		return y
	}
}

// qkv-per-head: the rows of the joint weight are read head by head, as q, k and v of head 0, then
// of head 1, …
//
// Why: GPT-NeoX stores its weights that way. Here the first D rows are all queries.
//
// Hint: Columns 0 to D of x·Wᵀ are q, D to 2D are k, 2D to 3D are v; head h takes columns h·K to
// (h+1)·K of each.
func (*MultiHead) Forward() {
	if right {
		m.k = m.split(m.k, qkv, d)
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.k = m.split(m.k, qkv, d/m.heads)
		m.v = m.split(m.v, qkv, 2*d/m.heads)
	}
}

func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dk, d)
		join(m.dQKV, dv, 2*d)
	} else {
		join(m.dQKV, dk, d/m.heads)
		join(m.dQKV, dv, 2*d/m.heads)
	}
}

func (*MultiHead) split() {
	if right {
		columns := src.MatrixAt(b).Block(0, first+h*width, seq, width)
	} else {
		stride := src.Dim(2) / m.heads
		columns := src.MatrixAt(b).Block(0, first+h*stride, seq, width)
	}
}

func join() {
	if right {
		columns := dst.MatrixAt(b).Block(0, first+h*width, seq, width)
	} else {
		stride := dst.Dim(2) / heads
		columns := dst.MatrixAt(b).Block(0, first+h*stride, seq, width)
	}
}

// values-of-first-head: all heads use the values of the first one
//
// Why: Sharing keys and values among heads is called multi-query attention, and it has smaller
// weights. Here every head has its own.
//
// Hint: v is (B, H, T, K): head h reads v[b, h].
func (*MultiHead) Forward() {
	if right {
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.v = m.split(m.v, qkv, 2*d)
		for i := range batch * m.heads {
			copy(m.v.MatrixAt(i).Data, m.v.MatrixAt(i-i%m.heads).Data)
		}
	}
}

func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dk, d)
	} else {
		join(m.dQKV, dk, d)
		for i := range dv.Dim(0) * m.heads {
			if first := i - i%m.heads; first < i {
				for j, g := range dv.MatrixAt(i).Data {
					dv.MatrixAt(first).Data[j] += g
				}
				clear(dv.MatrixAt(i).Data)
			}
		}
	}
}

// values-of-first-head/forward-only
func (*MultiHead) Forward() {
	if right {
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.v = m.split(m.v, qkv, 2*d)
		for i := range batch * m.heads {
			copy(m.v.MatrixAt(i).Data, m.v.MatrixAt(i-i%m.heads).Data)
		}
	}
}

// batch-flattened: the sequences of a batch are run together: a token attends to the sequences
// before its own
//
// Why: All other layers may treat a batch as one long list of tokens. Attention is the one place
// where tokens meet, so here sequences have to be kept apart.
//
// Hint: Scores are (B, H, T, T): a product of its own for every sequence and head.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		shape, flat := x.Shape, []int{}
		for b := range batch {
			flat = append(flat, positions[b%len(positions)]...)
		}
		x, positions, batch, seq = x.Reshape(1, batch*seq, d), [][]int{flat}, 1, batch*seq
		m.positions = positions
	}
	if right {
		return m.Output.Forward(m.joined)
	} else {
		return m.Output.Forward(m.joined).Reshape(shape...)
	}
}

func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		shape := dy.Shape
		dy = dy.Reshape(1, dy.Rows(), d)
		dJoined := m.Output.Backward(dy)
	}
	if right {
		return m.QKV.Backward(m.dQKV)
	} else {
		return m.QKV.Backward(m.dQKV).Reshape(shape...)
	}
}
