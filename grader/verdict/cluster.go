package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// A cluster is named only if every wrong element lies in it and at least this
// part of it is wrong: a few of its values may be right by chance.
const filled = 7.0 / 8

// where says which elements are wrong, in words that complete "5 of 30
// values, …": "everywhere", "only in row 3", "scattered"; or an empty text if
// there is nothing to say. mask is row-major over shape; want holds the wanted values.
// In a product, which is computed in tiles, it says which sizes leave a tail there.
func where(shape []int, mask []bool, want []float64, product bool) lang.Text {
	wrong := 0
	for _, w := range mask {
		if w {
			wrong++
		}
	}
	switch {
	case wrong < 2:
		return lang.Text{}
	case wrong == len(mask):
		return lang.T("everywhere")
	}
	text, best := gridCluster(shape, mask, wrong, product)
	if t, fill := triangleCluster(shape, mask, wrong); fill > best {
		text, best = t, fill
	}
	if best < filled {
		text = valueCluster(mask, want, wrong)
	}
	if text.Empty() {
		text = rowCluster(shape, mask, wrong)
	}
	switch {
	case !text.Empty():
		return text
	case float64(wrong) >= filled*float64(len(mask)):
		return lang.T("nearly everywhere")
	}
	if text := runCluster(shape, mask, wrong); !text.Empty() {
		return text
	}
	if wrong >= 4 && !restricted(spans(shape, mask, product)) {
		return lang.T("scattered")
	}
	return lang.Text{}
}

// span is the set of indexes of one axis at which something is wrong.
type span struct {
	axis, size int
	hit        []int
	tiled      bool // the array is computed in tiles
}

// spans returns the span of every axis.
func spans(shape []int, mask []bool, tiled bool) []span {
	seen := make([][]bool, len(shape))
	for a, n := range shape {
		seen[a] = make([]bool, n)
	}
	for i, w := range mask {
		for a := len(shape) - 1; w && a >= 0; a-- {
			seen[a][i%shape[a]] = true
			i /= shape[a]
		}
	}
	all := make([]span, len(shape))
	for a, n := range shape {
		all[a] = span{axis: a, size: n, tiled: tiled}
		for k := range n {
			if seen[a][k] {
				all[a].hit = append(all[a].hit, k)
			}
		}
	}
	return all
}

func (s span) full() bool { return len(s.hit) == s.size }

func restricted(all []span) bool {
	return slices.ContainsFunc(all, func(s span) bool { return !s.full() })
}

// gridCluster describes the wrong elements as a product of at most two
// restricted axes, and returns how much of that product is wrong: 0 if there
// are no words for it. It takes four elements for two restrictions to mean
// something.
func gridCluster(shape []int, mask []bool, wrong int, product bool) (lang.Text, float64) {
	size := 1
	var partial []span
	for _, s := range spans(shape, mask, product) {
		size *= len(s.hit)
		if !s.full() {
			partial = append(partial, s)
		}
	}
	var text lang.Text
	switch {
	case len(partial) == 1:
		text = partial[0].alone(len(shape))
	case len(partial) == 2 && wrong >= 4:
		text = both(partial[0], partial[1], len(shape))
	}
	if text.Empty() {
		return lang.Text{}, 0
	}
	return text, float64(wrong) / float64(size)
}

// region is a part of a matrix.
type region struct {
	words lang.Text
	has   func(row, column int) bool
}

// triangles are the parts of a matrix that a mask or a sum over the past can
// single out.
func triangles() []region {
	return []region{
		{lang.T("only above the diagonal (column > row)"), func(r, c int) bool { return c > r }},
		{lang.T("only below the diagonal (column < row)"), func(r, c int) bool { return c < r }},
		{lang.T("only on the diagonal"), func(r, c int) bool { return c == r }},
		{lang.T("only on and above the diagonal (column ≥ row)"), func(r, c int) bool { return c >= r }},
		{lang.T("only on and below the diagonal (column ≤ row)"), func(r, c int) bool { return c <= r }},
		{lang.T("everywhere except on the diagonal"), func(r, c int) bool { return c != r }},
	}
}

// triangleCluster describes the wrong elements as a triangle of the last two
// axes, and returns how much of the triangle is wrong: 0 if there is none.
func triangleCluster(shape []int, mask []bool, wrong int) (lang.Text, float64) {
	rank := len(shape)
	if rank < 2 || min(shape[rank-2], shape[rank-1]) < 3 {
		return lang.Text{}, 0
	}
	rows, cols := shape[rank-2], shape[rank-1]
	text, best := lang.Text{}, 0.0
	for _, t := range triangles() {
		inside, size := 0, 0
		for i, w := range mask {
			if t.has(i/cols%rows, i%cols) {
				size++
				if w {
					inside++
				}
			}
		}
		if fill := float64(wrong) / float64(size); inside == wrong && fill > best {
			text, best = t.words, fill
		}
	}
	if !text.Empty() && rank > 2 {
		text = lang.T("%s of the last two axes", text)
	}
	return text, best
}

// rowCluster reports whether exactly one row of the last axis is right: that of one
// batch at one position, which no single axis singles out.
func rowCluster(shape []int, mask []bool, wrong int) lang.Text {
	rank := len(shape)
	if rank < 3 || shape[rank-1] == 0 {
		return lang.Text{}
	}
	columns, right, rows := shape[rank-1], -1, 0
	for start := 0; start < len(mask); start += columns {
		if rows++; slices.Contains(mask[start:start+columns], true) {
			continue
		}
		if right >= 0 {
			return lang.Text{}
		}
		right = start / columns
	}
	if right < 0 || rows < 3 || float64(wrong) < filled*float64((rows-1)*columns) {
		return lang.Text{}
	}
	return lang.T("in every row but the one at %s", indexString(index(shape[:rank-1], right)))
}

// runCluster describes the wrong elements as those from one index to another, row by
// row: what a loop that ends too early or begins too late leaves.
func runCluster(shape []int, mask []bool, wrong int) lang.Text {
	first, end := slices.Index(mask, true), len(mask)
	for !mask[end-1] {
		end--
	}
	if len(shape) < 2 || wrong < 4 || float64(wrong) < filled*float64(end-first) {
		return lang.Text{}
	}
	return lang.T("only from %s to %s, row by row", indexString(index(shape, first)), indexString(index(shape, end-1)))
}

// valueCluster describes the wrong elements by what is wanted there, if that
// singles them out.
func valueCluster(mask []bool, want []float64, wrong int) lang.Text {
	classes := []struct {
		words lang.Text
		has   func(x float64) bool
	}{
		{lang.T("only where 0 is expected"), func(x float64) bool { return x == 0 }},
		{lang.T("only where -Inf is expected"), func(x float64) bool { return math.IsInf(x, -1) }},
		{lang.T("only where a negative value is expected"), func(x float64) bool { return x < 0 }},
		{lang.T("only where a positive value is expected"), func(x float64) bool { return x > 0 }},
	}
	if wrong < 4 {
		return lang.Text{}
	}
	for _, c := range classes {
		inside, size := 0, 0
		for i, w := range mask {
			if c.has(want[i]) {
				size++
				if w {
					inside++
				}
			}
		}
		if inside == wrong && size < len(mask) && float64(wrong) >= filled*float64(size) {
			return c.words
		}
	}
	return lang.Text{}
}
