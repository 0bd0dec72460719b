package windows

import "github.com/stubformer/stubformer/reference/tensor"

// piece is one chunk of a text: n of the tokens of all texts together, those from first
// on. last says that no other of its text comes behind it.
type piece struct {
	first, n int
	last     bool
}

// of returns the rows of the chunk of t (…, N, ·).
func (o piece) of(t *tensor.Tensor) tensor.Matrix {
	return t.Matrix().Block(o.first, 0, o.n, t.Dim(-1))
}

// each goes through the chunks of all texts, which are counted from 0.
func (l *Linear) each(do func(at int, o piece)) {
	for at := range l.states.Matrices() {
		do(at, l.piece(at))
	}
}

// eachBack goes through them from the last to the first.
func (l *Linear) eachBack(do func(at int, o piece)) {
	for at := l.states.Matrices() - 1; at >= 0; at-- {
		do(at, l.piece(at))
	}
}

func (l *Linear) piece(at int) piece {
	n, chunk, chunks := l.q.Dim(-2), l.w.Dim(0), l.states.Dim(1)
	i, first := at/chunks, at%chunks*chunk
	return piece{first: i*n + first, n: min(chunk, n-first), last: first+chunk >= n}
}

// chunkWeights returns A = a bᵀ of a chunk, (J, J), 0 where the key comes after the query.
// It is valid until the next call.
func (l *Linear) chunkWeights(o piece) tensor.Matrix {
	w := l.w.Matrix().Block(0, 0, o.n, o.n)
	tensor.Mul(w, o.of(l.a), o.of(l.b).T()) // (J, K)·(K, J) = (J, J)
	upperZero(w)
	return w
}

// chunkOf returns how many of n tokens a chunk has.
func chunkOf(wanted, n int) int {
	const usual = 64
	if wanted == 0 {
		wanted = usual
	}
	return max(1, min(wanted, n))
}

// upperZero clears what stands above the diagonal.
func upperZero(m tensor.Matrix) {
	for i := range m.Rows {
		clear(m.Data[i*m.Down:][:m.Cols][i+1:])
	}
}

// withOnes copies v (…, N, C) to v1 (…, N, C+1), and a 1 behind every row.
func withOnes(v1, v *tensor.Tensor) *tensor.Tensor {
	c := v.Dim(-1)
	for t := range v.Rows() {
		row := v1.Row(t)
		copy(row, v.Row(t))
		row[c] = 1
	}
	return v1
}
