package attention

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Mask struct {
	N, M   int
	Attend []bool
}

func Causal(n int) *Mask {
	m := &Mask{N: n, M: n}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			m.Attend = append(m.Attend, i-j >= 0)
		}
	}
	return m
}

// see tells whether query i of the l-th matrix sees key j.
func (m *Mask) see(l, i, j int) bool {
	if m == nil {
		return true
	}
	return m.Attend[(l*m.N*m.M+i*m.M+j)%len(m.Attend)]
}

func sizes(q, k, v *tensor.Tensor, m *Mask) (batch, queries, keys, width, out int) {
	r := len(q.Shape)
	if r < 2 || len(k.Shape) != r || len(v.Shape) != r {
		panic(tensor.ShapeError{Op: "q, k and v", Got: k.Shape, Want: q.Shape})
	}
	queries, keys, width, out = q.Shape[r-2], k.Shape[r-2], q.Shape[r-1], v.Shape[r-1]
	if k.Shape[r-1] != width {
		panic(tensor.ShapeError{Op: "k", Got: k.Shape, Want: q.Shape})
	}
	if v.Shape[r-2] != keys {
		panic(tensor.ShapeError{Op: "v", Got: v.Shape, Want: k.Shape})
	}
	if m != nil && (m.N != queries || m.M != keys) {
		panic(tensor.ShapeError{Op: fmt.Sprint("mask of ", m.N), Got: []int{m.N, m.M}, Want: []int{queries, keys}})
	}
	batch = 1
	for _, n := range q.Shape[:r-2] {
		batch *= n
	}
	return
}
