package training

import "sync"

// workspace is the memory that a product in progress needs.
type workspace struct {
	micro micro
	a     []float32 // a panel of a: for each of blockK steps, one column of a tile's rows
	b     []float32 // a block of b: panels of a tile's columns, one after the other
	tile  []float32 // a tile that sticks out of dst
}

// workspaces keeps workspaces from one product to the next, so that a product
// allocates nothing.
var workspaces = sync.Pool{New: func() any {
	m := bestMicro()
	return &workspace{
		micro: m,
		a:     make([]float32, m.rows*blockK),
		b:     make([]float32, roundUp(blockN, m.cols)*blockK),
		tile:  make([]float32, m.rows*m.cols),
	}
}}
