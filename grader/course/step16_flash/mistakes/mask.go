//go:build mistake

package flash

import "math"

// top-left: the causal mask is aligned at the top left: i sees j ≤ i
//
// Why: The last query is the newest token and sees all keys. With N = M both are the same.
//
// Hint: j ≤ i + M − N.
func (*Attention) sees() {
	if right {
		return max(0, i+1+m-n)
	} else {
		_ = n
		return min(m, i+1)
	}
}

// strict: a query does not see its own key
//
// Why: j ≤ i + M − N: a token attends to itself.
//
// Hint: Query i sees i + 1 + M − N keys.
func (*Attention) sees() {
	if right {
		return max(0, i+1+m-n)
	} else {
		return max(0, i+m-n)
	}
}

// one-too-many: a query sees the key behind its own
//
// Why: A causal model may not look ahead.
//
// Hint: Query i sees i + 1 + M − N keys, those before i + 1 + M − N.
func (*Attention) sees() {
	if right {
		return max(0, i+1+m-n)
	} else {
		return min(m, max(0, i+2+m-n))
	}
}

// first-key-seen: a query that sees nothing sees the first key
//
// Why: Where N > M the first N − M queries have no keys: y = 0 and L = −∞.
//
// Hint: max(0, i + 1 + M − N).
func (*Attention) sees() {
	if right {
		return max(0, i+1+m-n)
	} else {
		return max(1, i+1+m-n)
	}
}

// negative-tiles: where N > M the number of tiles is negative
//
// Why: The first queries see i + 1 + M − N ≤ 0 keys; whoever makes room for so many tiles ends there.
//
// Hint: max(0, …).
func (*Attention) sees() {
	if right {
		return max(0, i+1+m-n)
	} else {
		return len(make([]struct{}, i+1+m-n))
	}
}

// boundary-unmasked: tiles are left out, and those that the boundary crosses are not masked
//
// Why: The queries of a tile do not all see the same keys. What the last one sees is hidden for those before it.
//
// Hint: In every tile, row by row: the scores from key i + 1 + M − N on are −Inf.
func (*Attention) hide() {
	if right {
		for j := max(0, a.sees(i)-from); j < len(s); j++ {
			s[j] = hidden
		}
	} else {
	}
}

// one-tile-masked: only the tile in which a query has its last key is masked, not the next ones
//
// Why: Where a tile of queries is larger than one of keys, the boundary crosses several tiles of keys. Of those
// behind its own boundary a query may see nothing.
//
// Hint: A row is hidden from max(0, i + 1 + M − N − from) on, also where that is 0.
func (*Attention) hide() {
	if right {
		for j := max(0, a.sees(i)-from); j < len(s); j++ {
			s[j] = hidden
		}
	} else {
		for j := a.sees(i) - from; j > 0 && j < len(s); j++ {
			s[j] = hidden
		}
	}
}

// mask-by-the-tile: the mask is applied by the rows and columns of the tile, not of the text
//
// Why: Row r and column c of a tile are query first + r and key from + c.
//
// Hint: Add where the tile begins.
func (*Attention) hide() {
	if right {
		for j := max(0, a.sees(i)-from); j < len(s); j++ {
			s[j] = hidden
		}
	} else {
		for j := max(0, a.sees(i%a.p.Dim(0))); j < len(s); j++ {
			s[j] = hidden
		}
	}
}

// filled-with-a-number: hidden scores are set to −10⁴ and not to −Inf
//
// Why: A number is never low enough: scores may lie below it, and a row of which everything is hidden becomes a
// mean of all values.
//
// Hint: float32(math.Inf(-1)).
func (*Attention) hide() {
	if right {
		hidden := float32(math.Inf(-1))
	} else {
		hidden := float32(-1e4)
	}
}

// filled-with-a-number/lower: hidden scores are set to −10⁹ and not to −Inf
func (*Attention) hide() {
	if right {
		hidden := float32(math.Inf(-1))
	} else {
		hidden := float32(-1e9)
	}
}

// hidden-are-0: hidden scores are set to 0
//
// Why: e^0 is 1: a score of 0 is an ordinary one.
//
// Hint: −Inf, whose e^ is 0.
func (*Attention) hide() {
	if right {
		hidden := float32(math.Inf(-1))
	} else {
		hidden := float32(0)
	}
}

// no-mask-is-causal: no mask is taken for the causal one
//
// Why: nil allows everything.
//
// Hint: Causal is a mask without entries, not no mask.
func (a *Attention) causal() bool { return a.mask == nil || len(a.mask.Attend) == 0 }

// entries-ignored: a mask with entries is not looked at
//
// Why: Step 12 masks its new tokens with one, and it can be any other.
//
// Hint: Where Attend has entries, Attend[i·M + j] says it.
func (*Attention) hide() {
	if right {
		if !attend {
			s[j] = hidden
		}
	} else {
		_ = attend
		_ = j
	}
}

// entries-inverted: the mask is read the other way round: true hides
//
// Why: Attend is true where a query may attend to a key.
//
// Hint: Hide where it is false.
func (*Attention) hide() {
	if right {
		if !attend {
			s[j] = hidden
		}
	} else {
		if attend {
			s[j] = hidden
		}
	}
}

// entries-of-the-first: the mask of the first leading index serves for all
//
// Why: With N·M entries for each leading index, matrix b has those from b·N·M on.
//
// Hint: b·N·M modulo the number of entries.
func (*Attention) hide() {
	if right {
		all := a.mask.Attend[matrix*n*m%len(a.mask.Attend):]
	} else {
		_ = n + matrix
		all := a.mask.Attend
	}
}

// entries-by-the-tile: the entries are read by the row of the tile, not of the text
//
// Why: Row r of a tile that begins at first is query first + r.
//
// Hint: Attend[(first + r)·M + from + c].
func (*Attention) hide() {
	if right {
		for j, attend := range all[i*m+from:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	} else {
		for j, attend := range all[i%a.p.Dim(0)*m+from:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	}
}

// entries-by-the-tile/columns: the entries are read by the column of the tile, not of the text
func (*Attention) hide() {
	if right {
		for j, attend := range all[i*m+from:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	} else {
		for j, attend := range all[i*m:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	}
}

// entries-turned: the entries are read as (M, N): the mask is transposed
//
// Why: A row of the mask is a query.
//
// Hint: Attend[i·M + j].
func (*Attention) hide() {
	if right {
		for j, attend := range all[i*m+from:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	} else {
		for j := range s {
			if !all[(from+j)*n+i] {
				s[j] = hidden
			}
		}
	}
}
