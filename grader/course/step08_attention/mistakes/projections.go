//go:build mistake

package attention

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
