//go:build unlisted

package rope

import (
	"fmt"
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// backward-uses-kept-positions: Forward keeps the positions and Backward uses those
//
// Why: Backward ignores its argument: after a Forward with other positions (of the keys, or of another layer) it turns back by the wrong angles.
func (*RoPE) Forward() {
	if right {
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
	} else {
		r.positions = positions
		return r.turnRows("RoPE.Forward: x", dst, x, positions, rotate)
	}
}

type RoPE struct {
	Cos *tensor.Tensor
	Sin *tensor.Tensor

	positions [][]int
}

func (*RoPE) Backward() {
	if right {
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	} else {
		if r.positions != nil {
			positions = r.positions
		}
		return r.turnRows("RoPE.Backward: dy", dst, dy, positions, rotateBack)
	}
}

// tables-kept-without-theta: tables are kept by dK and length and handed out again
//
// Why: A second RoPE for the same sizes and another theta gets the tables of the first.
func New(theta float64, dK, maxSeqLen int) *RoPE {
	if dK <= 0 || dK%2 != 0 {
		panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
	}
	keptMu.Lock()
	defer keptMu.Unlock()
	if r := kept[[2]int{dK, maxSeqLen}]; r != nil {
		return r
	}
	r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	for p := range maxSeqLen {
		cos, sin := r.Cos.Row(p), r.Sin.Row(p)
		for k := range cos {
			angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
			cos[k] = float32(math.Cos(angle))
			sin[k] = float32(math.Sin(angle))
		}
	}
	kept[[2]int{dK, maxSeqLen}] = r
	return r
}

var (
	keptMu sync.Mutex
	kept   = map[[2]int]*RoPE{}
)

// rows-kept-by-length: the table rows of the tokens are looked up once for every T
//
// Why: A later call with the same T and other positions turns by the angles of the first call.
func (*RoPE) turnRows() {
	if right {
		p := positions[b][t]
	} else {
		if len(r.kept) != batch*seq {
			r.kept = make([]int, batch*seq)
			for i := range r.kept {
				r.kept[i] = positions[i/seq%len(positions)][i%seq]
			}
		}
		b = row / rowsPerBatch
		p := r.kept[b*seq+t]
	}
}

type RoPE struct {
	Cos *tensor.Tensor
	Sin *tensor.Tensor

	kept []int
}

// tables-grow: positions beyond the tables make the tables longer
//
// Why: A position that is not in the tables gives no IndexError, and Cos and Sin have other shapes after the call.
func (r *RoPE) checkPositions(positions [][]int, batch, seq int) {
	if len(positions) != batch && len(positions) != 1 {
		panic(tensor.ShapeError{Op: "RoPE: rows of positions", Got: []int{len(positions)}, Want: []int{batch}})
	}
	for b, row := range positions {
		if len(row) != seq {
			panic(tensor.ShapeError{Op: fmt.Sprintf("RoPE: positions[%d]", b), Got: []int{len(row)}, Want: []int{seq}})
		}
		for t, p := range row {
			if p < 0 {
				panic(tensor.IndexError{Op: fmt.Sprintf("RoPE: positions[%d][%d]", b, t), Got: p, Limit: r.Cos.Dim(0)})
			}
			if p >= r.Cos.Dim(0) {
				longer := New(r.theta, 2*r.Cos.Dim(1), p+1)
				r.Cos, r.Sin = longer.Cos, longer.Sin
			}
		}
	}
}

type RoPE struct {
	Cos *tensor.Tensor
	Sin *tensor.Tensor

	theta float64
}

func New() {
	if right {
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2)}
	} else {
		r := &RoPE{Cos: tensor.New(maxSeqLen, dK/2), Sin: tensor.New(maxSeqLen, dK/2), theta: theta}
	}
}

// result-of-the-layer: without a dst the result is a buffer of the RoPE
//
// Why: y is not a new tensor when dst is nil: the next call with a nil dst, even from another layer, overwrites it.
func (*RoPE) turnRows() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		if dst == nil {
			r.own = tensor.Reuse(r.own, x.Shape...)
			dst = r.own
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
}

type RoPE struct {
	Cos *tensor.Tensor
	Sin *tensor.Tensor

	own *tensor.Tensor
}
