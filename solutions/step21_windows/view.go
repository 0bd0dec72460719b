package windows

import "github.com/stubformer/stubformer/reference/tensor"

// view is what n queries see of m keys through a window of w and some sinks, in blocks
// of so many rows.
type view struct{ w, sinks, n, m, rows int }

// newView returns the view; a window of 0 is one of 32. A block has as many queries as
// the window has keys, or 64: then no more than half of its scores are hidden.
func newView(w, sinks, n, m int) view {
	const usual, most = 32, 64
	if w == 0 {
		w = usual
	}
	w, sinks = min(w, max(n, m)), min(sinks, m)
	return view{w, sinks, n, m, min(w, most)}
}

// sees reports whether query i sees key j.
func (v view) sees(i, j int) bool {
	p := i + v.m - v.n // its position: the last query stands where the last key does
	return j <= p && (p-j < v.w || j < v.sinks)
}

// columns is how many keys a block sees at the most: the sinks and what lies between the
// beginning of its first query's window and its last query.
func (v view) columns() int { return min(v.sinks+v.rows+v.w-1, v.sinks+v.m) }

// blocks is how many blocks there are, of which the last may have fewer queries.
func (v view) blocks() int {
	if v.n == 0 {
		return 0
	}
	return (v.n + v.rows - 1) / v.rows
}

// block is some queries that stand side by side, and the keys that one of them may see.
type block struct {
	at, first, queries int
	parts              [2]span // sinks that lie before all windows, and the windows
}

// span are the keys from up to to, whose scores begin at a column.
type span struct{ from, to, column int }

func (v view) block(at int) block {
	first := at * v.rows
	b := block{at: at, first: first, queries: min(v.rows, v.n-first)}
	from := min(max(0, first+v.m-v.n-v.w+1), v.m)
	to := max(from, first+b.queries+v.m-v.n)
	sinks := min(v.sinks, from)
	b.parts = [2]span{{0, sinks, 0}, {from, to, sinks}}
	return b
}

// rows returns the rows of the block's queries of matrix i of t (…, N, ·).
func (b block) rows(t *tensor.Tensor, i int) tensor.Matrix {
	return t.MatrixAt(i).Block(b.first, 0, b.queries, t.Dim(-1))
}
