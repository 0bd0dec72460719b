//go:build mistake

package attention

// rope-missing: RoPE has no effect: it is not applied, or all tokens of a head are turned by the
// same angle
//
// Why: A score is q·k. Turned by their positions, queries and keys make it depend on the distance
// between the two tokens. Without it, attention cannot tell the tokens before it from each other's
// order.
//
// Hint: Turn q and k, both, after the split; leave v as it is.
func (*MultiHead) Forward() {
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}

func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}

// rope-missing/forward-only
func (*MultiHead) Forward() {
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}

// rope-missing/by-head: RoPE has no effect: the number of the head is taken for the position
func (*MultiHead) Forward() {
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		for i := range m.q.Dim(0) * m.heads {
			place := make([]int, m.q.Dim(2))
			for t := range place {
				place[t] = i % m.heads
			}
			for _, x := range []*tensor.Tensor{m.q, m.k} {
				head := tensor.From(x.MatrixAt(i).Data, 1, x.Dim(2), x.Dim(3))
				m.rope.Forward(head, head, [][]int{place})
			}
		}
	}
}

func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		for i := range m.q.Dim(0) * m.heads {
			place := make([]int, m.q.Dim(2))
			for t := range place {
				place[t] = i % m.heads
			}
			for _, x := range []*tensor.Tensor{dq, dk} {
				head := tensor.From(x.MatrixAt(i).Data, 1, x.Dim(2), x.Dim(3))
				m.rope.Backward(head, head, [][]int{place})
			}
		}
	}
}

// rope-on-q-only: RoPE turns the queries, but not the keys
//
// Why: A score is q·k. Turned by their positions, queries and keys make it depend on the distance
// between the two tokens. If only one of them is turned, it depends on that one's position alone.
//
// Hint: Turn q and k, both, after the split; leave v as it is.
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

// rope-on-q-only/forward-only
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}

// rope-on-k-only: RoPE turns the keys, but not the queries
//
// Why: A score is q·k. Turned by their positions, queries and keys make it depend on the distance
// between the two tokens. If only one of them is turned, it depends on that one's position alone.
//
// Hint: Turn q and k, both, after the split; leave v as it is.
func (*MultiHead) Forward() {
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
	} else {
	}
}

func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
	} else {
	}
}

// rope-on-k-only/forward-only
func (*MultiHead) Forward() {
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
	} else {
	}
}

// rope-on-v: RoPE turns the values as well
//
// Why: Values are what is passed on. Turned, the same token would say something else at every
// position, and the sum would mix the angles.
//
// Hint: Turn q and k, both, after the split; leave v as it is.
func (*MultiHead) Forward() {
	if right {
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.v = m.split(m.v, qkv, 2*d)
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

// rope-on-v/forward-only
func (*MultiHead) Forward() {
	if right {
		m.v = m.split(m.v, qkv, 2*d)
	} else {
		m.v = m.split(m.v, qkv, 2*d)
		m.v = m.rope.Forward(m.v, m.v, positions)
	}
}

// rope-before-split: RoPE turns q and k before they are split into heads, as vectors of D numbers
//
// Why: Every head needs the whole range of frequencies, fast ones and slow ones. Spread over D,
// the first head gets only fast ones and the last only slow ones.
//
// Hint: Split first, then turn: the angles are those of K = D/H.
func (*MultiHead) Forward() {
	if right {
		qkv := m.QKV.Forward(x)
	} else {
		qkv := m.QKV.Forward(x)
		for _, first := range []int{0, d} {
			part := tensor.New(qkv.Dim(0), qkv.Dim(1), d)
			for n := range part.Rows() {
				copy(part.Row(n), qkv.Row(n)[first:])
			}
			rope.New(10000, d, m.rope.Cos.Dim(0)).Forward(part, part, positions)
			for n := range part.Rows() {
				copy(qkv.Row(n)[first:], part.Row(n))
			}
		}
	}
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}

func (*MultiHead) Backward() {
	if right {
		dq = m.rope.Backward(dq, dq, m.positions)
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
	if right {
		join(m.dQKV, dv, 2*d)
	} else {
		join(m.dQKV, dv, 2*d)
		for _, first := range []int{0, d} {
			part := tensor.New(m.dQKV.Dim(0), m.dQKV.Dim(1), d)
			for n := range part.Rows() {
				copy(part.Row(n), m.dQKV.Row(n)[first:])
			}
			rope.New(10000, d, m.rope.Cos.Dim(0)).Backward(part, part, m.positions)
			for n := range part.Rows() {
				copy(m.dQKV.Row(n)[first:], part.Row(n))
			}
		}
	}
}

// rope-before-split/forward-only
func (*MultiHead) Forward() {
	if right {
		qkv := m.QKV.Forward(x)
	} else {
		qkv := m.QKV.Forward(x)
		for _, first := range []int{0, d} {
			part := tensor.New(qkv.Dim(0), qkv.Dim(1), d)
			for n := range part.Rows() {
				copy(part.Row(n), qkv.Row(n)[first:])
			}
			rope.New(10000, d, m.rope.Cos.Dim(0)).Forward(part, part, positions)
			for n := range part.Rows() {
				copy(qkv.Row(n)[first:], part.Row(n))
			}
		}
	}
	if right {
		m.q = m.rope.Forward(m.q, m.q, positions)
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
	}
}
