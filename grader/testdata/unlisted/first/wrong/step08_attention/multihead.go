//go:build unlisted

package attention

import "github.com/stubformer/stubformer/reference/tensor"

// split-by-reshape: the heads are cut from the memory of q, k and v as it lies
//
// Why: Heads are made by reading (B, T, D) as (B, H, T, K), which mixes tokens and heads; Backward fits.
func (m *MultiHead) split(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	batch, seq, width := src.Dim(0), src.Dim(1), 2*m.rope.Cos.Dim(1)
	dst = tensor.Reuse(dst, batch, m.heads, seq, width)
	flat := tensor.From(dst.Data, batch, seq, m.heads*width)
	for b := range batch {
		tensor.Copy(flat.MatrixAt(b), src.MatrixAt(b).Block(0, first, seq, m.heads*width))
	}
	return dst
}

func join(dst, src *tensor.Tensor, first int) {
	batch, heads, seq, width := src.Dim(0), src.Dim(1), src.Dim(2), src.Dim(3)
	flat := tensor.From(src.Data, batch, seq, heads*width)
	for b := range batch {
		tensor.Copy(dst.MatrixAt(b).Block(0, first, seq, heads*width), flat.MatrixAt(b))
	}
}

// values-turned-too: RoPE turns the values as well
//
// Why: The values depend on their positions: v is turned like q and k; Backward turns dv back.
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		m.v = m.rope.Forward(m.v, m.v, positions)
	}
}

func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		dk = m.rope.Backward(dk, dk, m.positions)
		dv = m.rope.Backward(dv, dv, m.positions)
	}
}

// keys-not-turned: RoPE turns the queries only
//
// Why: The keys are not turned: scores depend on the query's position and not on the distance.
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}

func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}

// gradients-not-turned-back: Backward leaves out RoPE
//
// Why: dq and dk are joined without being turned back: QKV's gradient and dx are wrong.
func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}

// keys-before-queries: the first D rows of QKV are taken for the keys, the next for the queries
//
// Why: Queries and keys have changed their places in QKV.
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
		join(m.dQKV, dk, 0)
		join(m.dQKV, dq, d)
	}
}

// order-of-positions: a token may attend to those whose position is not larger
//
// Why: The mask follows the positions and not the order of the tokens: repeated or falling positions open the future or close the past.
func (*MultiHead) Forward() {
	if right {
		heads := m.Attention.Forward(m.q, m.k, m.v, m.mask)
	} else {
		mask := &Mask{N: seq, M: seq}
		for b := range batch {
			row := positions[b%len(positions)]
			for range m.heads {
				for i := range seq {
					for j := range seq {
						mask.Attend = append(mask.Attend, row[j] <= row[i])
					}
				}
			}
		}
		heads := m.Attention.Forward(m.q, m.k, m.v, mask)
	}
}
