//go:build unlisted

package initializers

import (
	"math/rand/v2"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// draws-added: draws are added to what dst held
//
// Why: dst is not overwritten: old contents stay in the sum.
func TruncatedNormal() {
	if right {
		dst[i] = float32(sigma * x)
	} else {
		dst[i] += float32(sigma * x)
	}
}

// gain-shared: gains are kept by size and handed out again
//
// Why: Two gains of the same size are one tensor: training one layer changes the other.
func Gain(d int) *tensor.Tensor {
	gainsMu.Lock()
	defer gainsMu.Unlock()
	if g := gains[d]; g != nil {
		return g
	}
	g := tensor.New(d)
	g.Fill(1)
	gains[d] = g
	return g
}

var (
	gainsMu sync.Mutex
	gains   = map[int]*tensor.Tensor{}
)

// table-in-shared-buffer: embedding tables are drawn into one buffer of the package
//
// Why: A second EmbeddingWeight overwrites the table that the first one returned.
func EmbeddingWeight(vocab, dModel int, rng *rand.Rand) *tensor.Tensor {
	table = tensor.Reuse(table, vocab, dModel)
	TruncatedNormal(table.Data, 1, 3, rng)
	return table
}

var table *tensor.Tensor
