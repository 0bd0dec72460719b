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
		tensor.Copy(dst.MatrixAt(b*m.heads+h), columns)
	} else {
		rows := dst.Reshape(batch, seq, m.heads*width).MatrixAt(b)
		tensor.Copy(rows.Block(0, h*width, seq, width), columns)
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

// split-without-transpose/backward-only
func (*MultiHead) Backward() {
	if right {
		join(m.dQKV, dq, 0)
		join(m.dQKV, dk, d)
		join(m.dQKV, dv, 2*d)
	} else {
		for i, grad := range []*tensor.Tensor{dq, dk, dv} {
			for n := range m.dQKV.Rows() {
				copy(m.dQKV.Row(n)[i*d:(i+1)*d], grad.Data[n*d:])
			}
		}
	}
}

// split-without-transpose/merge-too: the heads are split and merged by reshapes, without swapping
// T and H
//
// With: split-without-transpose
func join() {
	if right {
		tensor.Copy(columns, src.MatrixAt(b*heads+h))
	} else {
		rows := src.Reshape(batch, seq, heads*width).MatrixAt(b)
		tensor.Copy(columns, rows.Block(0, h*width, seq, width))
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
		tensor.Copy(columns, src.MatrixAt(b*heads+h))
	} else {
		rows := src.Reshape(batch, seq, heads*width).MatrixAt(b)
		tensor.Copy(columns, rows.Block(0, h*width, seq, width))
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

// merge-without-transpose/backward-only
func (*MultiHead) Backward() {
	if right {
		m.dHeads = m.split(m.dHeads, dJoined, 0)
	} else {
		m.dHeads = dJoined.Reshape(m.q.Shape...)
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
		columns := src.MatrixAt(b).Block(0, first+h*width, seq, width)
		tensor.Copy(dst.MatrixAt(b*m.heads+h), columns)
	} else {
		for j := range width {
			column := src.MatrixAt(b).Block(0, first+j*m.heads+h, seq, 1)
			tensor.Copy(dst.MatrixAt(b*m.heads+h).Block(0, j, seq, 1), column)
		}
	}
}

func join() {
	if right {
		columns := dst.MatrixAt(b).Block(0, first+h*width, seq, width)
		tensor.Copy(columns, src.MatrixAt(b*heads+h))
	} else {
		for j := range width {
			column := dst.MatrixAt(b).Block(0, first+j*heads+h, seq, 1)
			tensor.Copy(column, src.MatrixAt(b*heads+h).Block(0, j, seq, 1))
		}
	}
}

// heads-interleaved/split-only: head h is cut out of every H-th column, h, h+H, h+2H, …, and
// joined as it should be
func (*MultiHead) split() {
	if right {
		columns := src.MatrixAt(b).Block(0, first+h*width, seq, width)
		tensor.Copy(dst.MatrixAt(b*m.heads+h), columns)
	} else {
		for j := range width {
			column := src.MatrixAt(b).Block(0, first+j*m.heads+h, seq, 1)
			tensor.Copy(dst.MatrixAt(b*m.heads+h).Block(0, j, seq, 1), column)
		}
	}
}

// heads-interleaved/join-only: head h is joined into every H-th column, h, h+H, h+2H, …, and cut
// out as it should be
func join() {
	if right {
		columns := dst.MatrixAt(b).Block(0, first+h*width, seq, width)
		tensor.Copy(columns, src.MatrixAt(b*heads+h))
	} else {
		for j := range width {
			column := dst.MatrixAt(b).Block(0, first+j*heads+h, seq, 1)
			tensor.Copy(column, src.MatrixAt(b*heads+h).Block(0, j, seq, 1))
		}
	}
}
