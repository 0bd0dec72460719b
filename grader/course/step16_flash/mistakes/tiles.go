//go:build mistake

package flash

import "math"

// last-keys-left-out: a last tile that is not full is left out
//
// Why: Tiles need not divide M.
//
// Hint: The last tile has min(tile, M − from) keys.
func (*Attention) keys() {
	if right {
		for from := 0; from < seen; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	} else {
		for from := 0; from+tile <= seen; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	}
}

// last-queries-left-out: a last tile of queries that is not full is left out
//
// Why: Tiles need not divide N.
//
// Hint: The last tile has min(tile, N − first) queries.
func (*Attention) Forward() {
	if right {
		for first := 0; first < n; first += tileN {
			a.attend(i, first, min(tileN, n-first))
		}
	} else {
		for first := 0; first+tileN <= n; first += tileN {
			a.attend(i, first, min(tileN, n-first))
		}
	}
}

// padding-counted: what lies behind the last keys in the tile's buffer is counted as scores
//
// Why: The buffer has room for a whole tile; the last one fills a part of it. The rest are numbers of an earlier
// tile, or zeros, and e^0 is 1.
//
// Hint: Take the maximum and the sum over the keys that the tile has.
func (*Attention) attend() {
	if right {
		for r := range queries {
			p := row(s, r)
			largest := max(m[r], kernel.Max(p))
			past := exp(m[r] - finite(largest))
			exponentials(p, p, finite(largest))
			l[r] = past*l[r] + kernel.Sum(p)
			kernel.Scale(past, row(o, r))
			m[r] = largest
		}
	} else {
		for r := range queries {
			p := row(a.p.Matrix(), r)
			largest := max(m[r], kernel.Max(p))
			past := exp(m[r] - finite(largest))
			exponentials(p, p, finite(largest))
			l[r] = past*l[r] + kernel.Sum(p)
			kernel.Scale(past, row(o, r))
			m[r] = largest
		}
	}
}

// keys-of-the-first-tile: every tile reads the first keys
//
// Why: A tile begins at the key from.
//
// Hint: Block(from, 0, …) of k.
func (*Attention) scores() {
	if right {
		k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	} else {
		k := a.k.MatrixAt(i).Block(0, 0, to-from, width)
	}
}

// values-of-the-first-tile: every tile reads the first values
//
// Why: A tile begins at the key from, and its values there too.
//
// Hint: Block(from, 0, …) of v.
func (*Attention) attend() {
	if right {
		v := a.v.MatrixAt(i).Block(from, 0, to-from, a.v.Dim(-1))
	} else {
		v := a.v.MatrixAt(i).Block(0, 0, to-from, a.v.Dim(-1))
	}
}

// queries-of-the-first-tile: every tile reads the first queries
//
// Why: A tile begins at the query first.
//
// Hint: Block(first, 0, …) of q.
func (*Attention) scores() {
	if right {
		q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	} else {
		q := a.q.MatrixAt(i).Block(0, 0, queries, width)
	}
}

// tile-late: the tiles of keys overlap by one key
//
// Why: The next tile begins where this one ends. A key that is in two tiles is counted twice.
//
// Hint: from += tile.
func (*Attention) keys() {
	if right {
		for from := 0; from < seen; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	} else {
		for from := 0; from < seen; from += max(1, tile-1) {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	}
}

// tile-early: the loop over the tiles of keys ends one tile too early
//
// Why: The tile in which the boundary lies is the last one that is needed, and it is needed.
//
// Hint: The loop goes on while from is less than i + 1 + M − N of the last query.
func (*Attention) keys() {
	if right {
		for from := 0; from < seen; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	} else {
		for from := 0; from == 0 && seen > 0 || from < seen-tile; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	}
}

// first-query-decides: the tiles of keys end where the first query of a tile has its boundary
//
// Why: The last query of a tile sees the most.
//
// Hint: i + 1 + M − N of the tile's last query.
func (*Attention) keys() {
	if right {
		seen, tile := a.sees(first+queries-1), a.p.Dim(1)
	} else {
		seen, tile := a.sees(first), a.p.Dim(1)
	}
}

// all-scores: the sizes of the tiles are not used: one tile holds all scores
//
// Why: That is step 08 again, with its N·M numbers.
//
// Hint: Two loops, over tiles of queries and tiles of keys, and a buffer of TileN by TileM.
func tile(wanted, n int) int { return n }

// all-queries: one tile holds all queries
//
// Why: A row of a tile for every query is N·TileM numbers, and grows with the text.
//
// Hint: TileN queries at a time.
func (*Attention) Forward() {
	if right {
		tileN, tileM := tile(a.TileN, n), tile(a.TileM, m)
	} else {
		tileN, tileM := n, tile(a.TileM, m)
	}
}

// new-tiles: every tile is allocated anew
//
// Why: A text has N·M/(TileN·TileM) tiles: together that is as much memory as all scores.
//
// Hint: One buffer of TileN by TileM in the layer, of which the last tiles use a block.
func (*Attention) scores() {
	if right {
		s := a.p.Matrix().Block(0, 0, queries, to-from)
	} else {
		s := tensor.New(queries, to-from).Matrix()
	}
}

// nothing-left-out: tiles that the causal mask hides are computed, and then hidden
//
// Why: That is twice the work, for zeros.
//
// Hint: The loop over the keys ends at i + 1 + M − N of the tile's last query.
func (*Attention) keys() {
	if right {
		seen, tile := a.sees(first+queries-1), a.p.Dim(1)
	} else {
		seen, tile := a.k.Dim(-2), a.p.Dim(1)
	}
}

// weights-kept: Forward makes all weights and keeps them
//
// Why: That is what this layer is there to avoid: they are computed again, tile by tile, when they are needed.
//
// Hint: Keep L, and y.
func (*Attention) Forward() {
	if right {
		return a.y
	} else {
		a.Weights()
		return a.y
	}
}
