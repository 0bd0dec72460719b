//go:build mistake

package attention

// split-without-transpose: the heads are split by a reshape from (B, T, D) to (B, H, T, K),
// without swapping T and H
//
// Why: In memory a token's D numbers lie together: (B, T, H, K). A head wants its T rows together:
// (B, H, T, K). Both have the same number of elements, so a reshape runs, but it hands a head
// pieces of other heads and other tokens.
//
// Hint: (B, T, D) → (B, T, H, K) → (B, H, T, K): head h of token t is token[h·K : (h+1)·K].
func (*MultiHead) split() {
	if right {
		copy(dst.Row((b*m.heads+h)*seq+t), token[h*width:(h+1)*width])
	} else {
		copy(dst.Row((b*seq+t)*m.heads+h), token[h*width:(h+1)*width])
	}
}

// split-without-transpose/forward-only
func (*MultiHead) Forward() {
	if right {
		m.q = m.split(m.q, qkv, 0)
		m.k = m.split(m.k, qkv, d)
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.q = m.reshape(m.q, qkv, 0)
		m.k = m.reshape(m.k, qkv, d)
		m.v = m.reshape(m.v, qkv, 2*d)
	}
}

func (m *MultiHead) reshape(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	size := 2 * m.rope.Cos.Dim(1) * m.heads
	dst = tensor.Reuse(dst, src.Dim(0), m.heads, src.Dim(1), 2*m.rope.Cos.Dim(1))
	for n := range src.Rows() {
		copy(dst.Data[n*size:(n+1)*size], src.Row(n)[first:])
	}
	return dst
}

func reshapeBack(dst, src *tensor.Tensor, first int) {
	size := src.Len() / dst.Rows()
	for n := range dst.Rows() {
		copy(dst.Row(n)[first:], src.Data[n*size:(n+1)*size])
	}
}

// split-without-transpose/derivative-too
//
// With: split-without-transpose/forward-only
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dq, 0)
		join(m.dQKV, dk, d)
		join(m.dQKV, dv, 2*d)
	} else {
		reshapeBack(m.dQKV, dq, 0)
		reshapeBack(m.dQKV, dk, d)
		reshapeBack(m.dQKV, dv, 2*d)
	}
}

// split-without-transpose/merge-too
//
// With: split-without-transpose
func join() {
	if right {
		copy(token[h*width:(h+1)*width], src.Row((b*heads+h)*seq+t))
	} else {
		copy(token[h*width:(h+1)*width], src.Row((b*seq+t)*heads+h))
	}
}

// merge-without-transpose: the heads are merged by a reshape from (B, H, T, K) to (B, T, D),
// without swapping H and T back
//
// Why: In memory a token's D numbers lie together: (B, T, H, K). A head wants its T rows together:
// (B, H, T, K). Both have the same number of elements, so a reshape runs, but it hands a head
// pieces of other heads and other tokens.
//
// Hint: (B, H, T, K) → (B, T, H, K) → (B, T, D): token t gets its K numbers from every head.
func join() {
	if right {
		copy(token[h*width:(h+1)*width], src.Row((b*heads+h)*seq+t))
	} else {
		copy(token[h*width:(h+1)*width], src.Row((b*seq+t)*heads+h))
	}
}

// merge-without-transpose/forward-only
func (*MultiHead) Forward() {
	if right {
		join(m.joined, heads, 0)
	} else {
		reshapeBack(m.joined, heads, 0)
	}
}

func (m *MultiHead) reshape(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	size := 2 * m.rope.Cos.Dim(1) * m.heads
	dst = tensor.Reuse(dst, src.Dim(0), m.heads, src.Dim(1), 2*m.rope.Cos.Dim(1))
	for n := range src.Rows() {
		copy(dst.Data[n*size:(n+1)*size], src.Row(n)[first:])
	}
	return dst
}

func reshapeBack(dst, src *tensor.Tensor, first int) {
	size := src.Len() / dst.Rows()
	for n := range dst.Rows() {
		copy(dst.Row(n)[first:], src.Data[n*size:(n+1)*size])
	}
}

// merge-without-transpose/derivative-too
//
// With: merge-without-transpose/forward-only
func (*MultiHead) Backward() {
	if right {
		m.dHeads = m.split(m.dHeads, dJoined, 0)
	} else {
		m.dHeads = m.reshape(m.dHeads, dJoined, 0)
	}
}

// heads-interleaved: head h takes every H-th column, h, h+H, h+2H, …, instead of K columns that
// lie together
//
// Why: Splitting D into (K, H) instead of (H, K) gives every head other rows of the weights than
// those it was trained with.
//
// Hint: Head h owns columns h·K to (h+1)·K.
func (*MultiHead) split() {
	if right {
		copy(dst.Row((b*m.heads+h)*seq+t), token[h*width:(h+1)*width])
	} else {
		for j := range width {
			dst.Row((b*m.heads+h)*seq + t)[j] = token[j*m.heads+h]
		}
	}
}

func join() {
	if right {
		copy(token[h*width:(h+1)*width], src.Row((b*heads+h)*seq+t))
	} else {
		for j := range width {
			token[j*heads+h] = src.Row((b*heads+h)*seq + t)[j]
		}
	}
}

// heads-interleaved/split-only
func (*MultiHead) split() {
	if right {
		copy(dst.Row((b*m.heads+h)*seq+t), token[h*width:(h+1)*width])
	} else {
		for j := range width {
			dst.Row((b*m.heads+h)*seq + t)[j] = token[j*m.heads+h]
		}
	}
}

// heads-interleaved/join-only
func join() {
	if right {
		copy(token[h*width:(h+1)*width], src.Row((b*heads+h)*seq+t))
	} else {
		for j := range width {
			token[j*heads+h] = src.Row((b*heads+h)*seq + t)[j]
		}
	}
}

// k-v-swapped: the keys and the values are exchanged
//
// Why: The rows of the weight are those of the queries, then of the keys, then of the values. All
// three have the same shape, so nothing but the numbers tells them apart.
//
// Hint: Columns 0 to D of x·Wᵀ are q, D to 2D are k, 2D to 3D are v.
func (*MultiHead) Forward() {
	if right {
		m.k = m.split(m.k, qkv, d)
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.k = m.split(m.k, qkv, 2*d)
		m.v = m.split(m.v, qkv, d)
	}
}

func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dk, d)
		join(m.dQKV, dv, 2*d)
	} else {
		join(m.dQKV, dk, 2*d)
		join(m.dQKV, dv, d)
	}
}

// k-v-swapped/forward-only
func (*MultiHead) Forward() {
	if right {
		m.k = m.split(m.k, qkv, d)
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.k = m.split(m.k, qkv, 2*d)
		m.v = m.split(m.v, qkv, d)
	}
}

// k-v-swapped/backward-only
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dk, d)
		join(m.dQKV, dv, 2*d)
	} else {
		join(m.dQKV, dk, 2*d)
		join(m.dQKV, dv, d)
	}
}

// q-k-swapped: the queries and the keys are exchanged
//
// Why: The rows of the weight are those of the queries, then of the keys, then of the values. All
// three have the same shape, so nothing but the numbers tells them apart.
//
// Hint: Columns 0 to D of x·Wᵀ are q, D to 2D are k, 2D to 3D are v.
func (*MultiHead) Forward() {
	if right {
		m.q = m.split(m.q, qkv, 0)
		m.k = m.split(m.k, qkv, d)
	} else {
		m.q = m.split(m.q, qkv, d)
		m.k = m.split(m.k, qkv, 0)
	}
}

func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dq, 0)
		join(m.dQKV, dk, d)
	} else {
		join(m.dQKV, dq, d)
		join(m.dQKV, dk, 0)
	}
}

// q-k-swapped/forward-only
func (*MultiHead) Forward() {
	if right {
		m.q = m.split(m.q, qkv, 0)
		m.k = m.split(m.k, qkv, d)
	} else {
		m.q = m.split(m.q, qkv, d)
		m.k = m.split(m.k, qkv, 0)
	}
}

// q-k-swapped/backward-only
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dq, 0)
		join(m.dQKV, dk, d)
	} else {
		join(m.dQKV, dq, d)
		join(m.dQKV, dk, 0)
	}
}

// q-v-swapped: the queries and the values are exchanged
//
// Why: The rows of the weight are those of the queries, then of the keys, then of the values. All
// three have the same shape, so nothing but the numbers tells them apart.
//
// Hint: Columns 0 to D of x·Wᵀ are q, D to 2D are k, 2D to 3D are v.
func (*MultiHead) Forward() {
	if right {
		m.q = m.split(m.q, qkv, 0)
	} else {
		m.q = m.split(m.q, qkv, 2*d)
	}
	if right {
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.v = m.split(m.v, qkv, 0)
	}
}

func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dq, 0)
	} else {
		join(m.dQKV, dq, 2*d)
	}
	if right {
		join(m.dQKV, dv, 2*d)
	} else {
		join(m.dQKV, dv, 0)
	}
}

// q-v-swapped/forward-only
func (*MultiHead) Forward() {
	if right {
		m.q = m.split(m.q, qkv, 0)
	} else {
		m.q = m.split(m.q, qkv, 2*d)
	}
	if right {
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.v = m.split(m.v, qkv, 0)
	}
}

// q-v-swapped/backward-only
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dq, 0)
	} else {
		join(m.dQKV, dq, 2*d)
	}
	if right {
		join(m.dQKV, dv, 2*d)
	} else {
		join(m.dQKV, dv, 0)
	}
}

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
		tensor.MatMul(y, m.joined, m.Output.Weight.Value, tensor.Overwrite)
		return y
	}
}

func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		dJoined := tensor.New(dy.Shape...)
		tensor.MatMulNT(dJoined, dy, m.Output.Weight.Value, tensor.Overwrite)
		tensor.MatMulTN(m.Output.Weight.Grad, m.joined, dy, tensor.Accumulate)
	}
}

// output-transposed/forward-only
func (*MultiHead) Forward() {
	if right {
		return m.Output.Forward(m.joined)
	} else {
		m.Output.Forward(m.joined)
		y := tensor.New(batch, seq, d)
		tensor.MatMul(y, m.joined, m.Output.Weight.Value, tensor.Overwrite)
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
		copy(dst.Row((b*m.heads+h)*seq+t), token[h*width:(h+1)*width])
	} else {
		stride := src.Dim(2) / m.heads
		copy(dst.Row((b*m.heads+h)*seq+t), token[h*stride:h*stride+width])
	}
}

func join() {
	if right {
		copy(token[h*width:(h+1)*width], src.Row((b*heads+h)*seq+t))
	} else {
		stride := dst.Dim(2) / heads
		copy(token[h*stride:h*stride+width], src.Row((b*heads+h)*seq+t))
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
			copy(matrix(m.v, i), matrix(m.v, i-i%m.heads))
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
				for j, g := range matrix(dv, i) {
					matrix(dv, first)[j] += g
				}
				clear(matrix(dv, i))
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
			copy(matrix(m.v, i), matrix(m.v, i-i%m.heads))
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
