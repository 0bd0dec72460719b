//go:build mistake

package gqa

// heads-tiled: heads are tiled: head h reads key/value head h mod H_kv
//
// Why: The heads of a group are neighbours: with six heads and two groups they read 0 0 0 1 1 1, and
// not 0 1 0 1 0 1. A model that was trained from the beginning would learn either; published weights
// are made for the first.
//
// Hint: h / (H/H_kv), as Go divides integers, and the same in SumGroups and in Extend.
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		copy(head(dst, b, h), head(kv, b, h%(numHeads/group)))
	}
}

func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
	} else {
		sum := head(dst, b, h%(heads/group))
	}
}

func (*MultiHead) Extend() {
	if right {
		g := h / group
	} else {
		g := h % (m.heads / group)
	}
}

// heads-tiled/repeat-only: heads are tiled where the keys and values are repeated, and nowhere else
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		copy(head(dst, b, h), head(kv, b, h%(numHeads/group)))
	}
}

// heads-tiled/forward-and-backward: heads are tiled in Forward and in Backward, and not in Extend
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		copy(head(dst, b, h), head(kv, b, h%(numHeads/group)))
	}
}

func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
	} else {
		sum := head(dst, b, h%(heads/group))
	}
}

// sum-tiled: SumGroups adds head h to group h mod H_kv
//
// Why: A gradient goes back to the head that was read. Repeat gave head h the group ⌊h/(H/H_kv)⌋.
//
// Hint: h / (H/H_kv), as in Repeat.
func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
	} else {
		sum := head(dst, b, h%(heads/group))
	}
}

// values-tiled: the values alone are tiled (h mod H_kv), while the keys are repeated
//
// Why: A head then finds a token by the keys of one group and takes along the value of another.
//
// Hint: Repeat for both.
func (*MultiHead) Forward() {
	if right {
		m.values = Repeat(m.values, m.v, m.heads)
	} else {
		m.values = tile(m.values, m.v, m.heads)
	}
}

func tile(dst, kv *tensor.Tensor, heads int) *tensor.Tensor {
	dst = tensor.Reuse(dst, kv.Dim(0), heads, kv.Dim(2), kv.Dim(3))
	for b := range kv.Dim(0) {
		for h := range heads {
			copy(head(dst, b, h), head(kv, b, h%kv.Dim(1)))
		}
	}
	return dst
}

// values-tiled/derivative-too
//
// With: values-tiled
func (*MultiHead) Backward() {
	if right {
		m.dv = SumGroups(m.dv, dValues, m.kvHeads)
	} else {
		m.dv = sumTiles(m.dv, dValues, m.kvHeads)
	}
}

func sumTiles(dst, d *tensor.Tensor, kvHeads int) *tensor.Tensor {
	dst = tensor.Reuse(dst, d.Dim(0), kvHeads, d.Dim(2), d.Dim(3))
	dst.Zero()
	for b := range d.Dim(0) {
		for h := range d.Dim(1) {
			for i, x := range head(d, b, h) {
				head(dst, b, h%kvHeads)[i] += x
			}
		}
	}
	return dst
}

// keys-tiled: the keys alone are tiled (h mod H_kv), while the values are repeated
//
// Why: A head then finds a token by the keys of one group and takes along the value of another.
//
// Hint: Repeat for both.
func (*MultiHead) Forward() {
	if right {
		m.keys = Repeat(m.keys, m.k, m.heads)
	} else {
		m.keys = tile(m.keys, m.k, m.heads)
	}
}

func tile(dst, kv *tensor.Tensor, heads int) *tensor.Tensor {
	dst = tensor.Reuse(dst, kv.Dim(0), heads, kv.Dim(2), kv.Dim(3))
	for b := range kv.Dim(0) {
		for h := range heads {
			copy(head(dst, b, h), head(kv, b, h%kv.Dim(1)))
		}
	}
	return dst
}

// keys-tiled/derivative-too
//
// With: keys-tiled
func (*MultiHead) Backward() {
	if right {
		m.dk = SumGroups(m.dk, dKeys, m.kvHeads)
	} else {
		m.dk = sumTiles(m.dk, dKeys, m.kvHeads)
	}
}

func sumTiles(dst, d *tensor.Tensor, kvHeads int) *tensor.Tensor {
	dst = tensor.Reuse(dst, d.Dim(0), kvHeads, d.Dim(2), d.Dim(3))
	dst.Zero()
	for b := range d.Dim(0) {
		for h := range d.Dim(1) {
			for i, x := range head(d, b, h) {
				head(dst, b, h%kvHeads)[i] += x
			}
		}
	}
	return dst
}

// all-read-head-0: every head reads key/value head 0
//
// Why: That is multi-query attention, whatever H_kv is. The other heads of W_K and W_V are never used
// and get no gradient.
//
// Hint: kv[b, h/(H/H_kv)]
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		copy(head(dst, b, h), head(kv, b, h/group*0))
	}
}

// all-read-head-0/derivative-too
//
// With: all-read-head-0
func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
	} else {
		sum := head(dst, b, h/group*0)
	}
}

// groups-reversed: the groups read the key/value heads from the last to the first
//
// Why: The first group reads head 0.
//
// Hint: kv[b, h/(H/H_kv)]
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		copy(head(dst, b, h), head(kv, b, kvHeads-1-h/group))
	}
}

// groups-reversed/derivative-too
//
// With: groups-reversed
func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
	} else {
		sum := head(dst, b, numKVHeads-1-h/group)
	}
}

// size-for-number: the number of groups is taken for the size of a group: head h reads ⌊h/H_kv⌋
//
// Why: H/H_kv heads share one. With six heads and two of keys a group has three heads, and not two.
//
// Hint: group := H/H_kv; kv[b, h/group]
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		copy(head(dst, b, h), head(kv, b, min(h/(numHeads/group), numHeads/group-1)))
	}
}

// size-for-number/derivative-too
//
// With: size-for-number
func SumGroups() {
	if right {
		sum := head(dst, b, h/group)
	} else {
		sum := head(dst, b, min(h/(heads/group), heads/group-1))
	}
}

// repeated-along-time: tokens are repeated instead of heads
//
// Why: (B, H_kv, T, K) becomes (B, H, T, K) by copies of whole heads, T·K numbers. Who repeats rows of K
// numbers has the first tokens several times and the last ones in another head.
//
// Hint: The dimension that grows is that of the heads: copy T·K numbers for each.
func Repeat() {
	if right {
		for h := range numHeads {
			copy(head(dst, b, h), head(kv, b, h/group))
		}
	} else {
		width, rows := kv.Dim(3), kv.Dim(2)*numHeads
		for row := range rows {
			from := (b*rows/group + row/group) * width
			copy(dst.Data[(b*rows+row)*width:][:width], kv.Data[from:from+width])
		}
	}
}

// repeated-along-width: numbers are repeated instead of heads
//
// Why: (B, H_kv, T, K) becomes (B, H, T, K) by copies of whole heads, T·K numbers.
//
// Hint: The dimension that grows is that of the heads: copy T·K numbers for each.
func Repeat() {
	if right {
		for h := range numHeads {
			copy(head(dst, b, h), head(kv, b, h/group))
		}
	} else {
		size := kv.Dim(2) * kv.Dim(3) * numHeads
		for i := range size {
			dst.Data[b*size+i] = kv.Data[(b*size+i)/group]
		}
	}
}

// first-text-for-all: every text of the batch gets the keys and values of the first
//
// Why: Each text attends to its own tokens.
//
// Hint: Head h of text b begins at (b·H_kv + h)·T·K.
func Repeat() {
	if right {
		copy(head(dst, b, h), head(kv, b, h/group))
	} else {
		copy(head(dst, b, h), head(kv, 0, h/group))
	}
}
