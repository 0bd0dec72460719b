//go:build unlisted

package attention

import (
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// scale-by-the-number-of-keys: the scores are divided by √M
//
// Why: the formula says √K; with K ≠ M weights and y differ.
func (*Attention) Forward() {
	if right {
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		kernel.Scale(scale(m), a.weights.Data)
	}
}

// scale-missing-in-dk: only dq gets the factor 1/√K
//
// Why: dk = dSᵀ q / √K; a finite difference in k shows dk too large.
func (*Attention) Backward() {
	if right {
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
		for i := range dy.Matrices() {
			dq, dk := a.dq.MatrixAt(i), a.dk.MatrixAt(i)
			ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
			tensor.Mul(dq, ds, k)
			tensor.Mul(dk, ds.T(), q)
		}
	} else {
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
		for i := range dy.Matrices() {
			dq, dk := a.dq.MatrixAt(i), a.dk.MatrixAt(i)
			ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
			tensor.Mul(dq, ds, k)
			tensor.Mul(dk, ds.T(), q)
		}
		kernel.Scale(scale(a.q.Dim(-1)), a.dq.Data)
	}
}

// masked-with-a-billion: a forbidden score is −10⁹ and not −Inf
//
// Why: a query that may attend nowhere gets weights 1/M instead of 0.
func (*Mask) hide() {
	if right {
		scores[i] = float32(math.Inf(-1))
	} else {
		scores[i] = -1e9
	}
}

// hidden-row-left-open: a row in which everything is forbidden is not masked, for fear of NaN
//
// Why: a query that may attend nowhere must get weights of 0 and y = 0.
func (mask *Mask) hide(scores []float32) {
	if mask == nil || len(mask.Attend) == 0 {
		return
	}
	for len(scores) > 0 {
		for from := 0; from < len(mask.Attend); from += mask.M {
			row := mask.Attend[from : from+mask.M]
			if !slices.Contains(row, true) {
				continue
			}
			for j, attend := range row {
				if !attend {
					scores[from+j] = float32(math.Inf(-1))
				}
			}
		}
		scores = scores[len(mask.Attend):]
	}
}

// first-heads-mask-for-all: of a mask with N·M entries for each leading index only the first N·M are used
//
// Why: a mask may differ from head to head; the others get the first one's.
func (mask *Mask) hide(scores []float32) {
	if mask == nil || len(mask.Attend) == 0 {
		return
	}
	attend := mask.Attend[:mask.N*mask.M]
	for len(scores) > 0 {
		for i, ok := range attend {
			if !ok {
				scores[i] = float32(math.Inf(-1))
			}
		}
		scores = scores[len(attend):]
	}
}

// causal-refuses-zero: Causal panics for no tokens
//
// Why: the stub says that n may be 0.
func Causal(n int) *Mask {
	if n <= 0 {
		panic(tensor.ShapeError{Op: "Causal: n must be positive", Got: []int{n}})
	}
	mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	for i := range n {
		for j := range i + 1 {
			mask.Attend[i*n+j] = true
		}
	}
	return mask
}

// corner-of-a-larger-mask: the mask of a longer sequence is kept and its first T·T entries used for a shorter one
//
// Why: the rows of the longer mask are longer; after a T of 5 a T of 3 sees later tokens.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		if m.mask == nil || cap(m.mask.Attend) < seq*seq {
			m.mask = Causal(seq)
		}
		m.mask = &Mask{N: seq, M: seq, Attend: m.mask.Attend[:seq*seq]}
	}
}

// masks-in-a-package-variable: the masks are kept in a map that all layers share
//
// Why: several goroutines may work with layers of their own; they write one map at the same time.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		if causalMasks[seq] == nil {
			causalMasks[seq] = Causal(seq)
		}
		m.mask = causalMasks[seq]
	}
}

var causalMasks = map[int]*Mask{}

// positions-of-the-first-forward: Backward turns back by the positions of the first Forward of the same length
//
// Why: Backward belongs to the last Forward; with other positions dx and the gradients differ.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		if len(m.positions) != len(positions) || len(positions) > 0 && len(m.positions[0]) != len(positions[0]) {
			m.positions = positions
		}
	}
}

// first-row-of-positions-for-all: only the first row of positions is used
//
// Why: positions may be (B, T), each sequence with its own.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
	} else {
		if len(positions) > 1 {
			positions = positions[:1]
		}
		m.positions = positions
	}
}

// scores-gradient-over-the-weights: Backward uses the memory of the weights for the gradient of the scores
//
// Why: Weights is valid until the next Forward, and a second Backward of the same Forward differs.
func (*Attention) Backward() {
	if right {
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		a.weights = softmax.Backward(a.weights, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), a.weights.Data)
		copy(a.dScores.Data, a.weights.Data)
	}
}

// queries-scaled-in-place: the scale is applied to the caller's q
//
// Why: Forward changes none of its inputs; the next call with the same q gives something else.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		kernel.Scale(scale(width), q.Data)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
	}
}

// dy-scaled-in-place: Backward applies the scale to the caller's dy, which is smaller than the scores
//
// Why: dq, dk and dv are right, but dy is changed, which the stub forbids.
func (*Attention) Backward() {
	if right {
		for i := range dy.Matrices() {
			dv, dp := a.dv.MatrixAt(i), a.dScores.MatrixAt(i)
			p, v, dy := a.weights.MatrixAt(i), a.v.MatrixAt(i), dy.MatrixAt(i)
			tensor.Mul(dv, p.T(), dy)
			tensor.Mul(dp, dy, v.T())
		}
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
		kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)
	} else {
		for i := range dy.Matrices() {
			tensor.Mul(a.dv.MatrixAt(i), a.weights.MatrixAt(i).T(), dy.MatrixAt(i))
		}
		kernel.Scale(scale(a.q.Dim(-1)), dy.Data)
		for i := range dy.Matrices() {
			tensor.Mul(a.dScores.MatrixAt(i), dy.MatrixAt(i), a.v.MatrixAt(i).T())
		}
		a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1)
	}
}

// gradients-allocated-once: dq and dk are made in the first Backward and never again
//
// Why: a later call with other shapes panics although everything fits.
func (*Attention) Backward() {
	if right {
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	} else {
		if a.dq == nil {
			a.dq, a.dk = tensor.New(a.q.Shape...), tensor.New(a.k.Shape...)
		}
	}
}

// gradients-cleared-by-backward: Backward empties the gradients of the weights before it adds
//
// Why: Backward adds to the gradients; what two calls collected is lost.
func (*MultiHead) Backward() {
	if right {
		dJoined := m.Output.Backward(dy)
	} else {
		m.QKV.Weight.ZeroGrad()
		m.Output.Weight.ZeroGrad()
		dJoined := m.Output.Backward(dy)
	}
}

// gradient-of-the-heads-in-q: Backward splits dJoined into the buffer of the queries
//
// Why: Attention keeps q until its Backward, which now computes dk from dHeads.
func (*MultiHead) Backward() {
	if right {
		m.dHeads = m.split(m.dHeads, dJoined, 0)
	} else {
		m.dHeads = m.split(m.q, dJoined, 0)
	}
}

// any-rope-is-taken: the width of RoPE's tables is not compared with K
//
// Why: NewMultiHead must panic with a ShapeError if r is made for another K.
func NewMultiHead() {
	if right {
		tensor.CheckShape("attention.NewMultiHead: RoPE's tables", r.Cos, tensor.Any, d/(2*numHeads))
	} else {
	}
}

// no-heads-divide-by-zero: numHeads of 0 or below is not looked for
//
// Why: 0 heads panic with a division by zero and not with a ShapeError.
func NewMultiHead() {
	if right {
		if numHeads <= 0 || d%(2*numHeads) != 0 {
			panic(tensor.ShapeError{Op: fmt.Sprintf("attention.NewMultiHead: %d heads of an even width do not fill D: output", numHeads),
				Got: []int{d, d}})
		}
	} else {
		if d%(2*numHeads) != 0 {
			panic(tensor.ShapeError{Op: fmt.Sprintf("attention.NewMultiHead: %d heads of an even width do not fill D: output", numHeads),
				Got: []int{d, d}})
		}
	}
}

// output-need-not-be-square: only the second size of output is looked at
//
// Why: output must be (D, D); one of (2D, D) is taken.
func NewMultiHead() {
	if right {
		tensor.CheckShape("attention.NewMultiHead: output", output.Value, d, d)
	} else {
	}
}

// mask-of-the-same-size-fits: a mask (M, N) is taken for (N, M)
//
// Why: it must panic with a ShapeError if the mask is made for another N or M.
func (mask *Mask) check(leading, n, m int) {
	if mask == nil {
		return
	}
	if length := len(mask.Attend); length != n*m && length != leading*n*m {
		panic(tensor.ShapeError{Op: "Attention.Forward: length of mask.Attend", Got: []int{length}, Want: []int{leading * n * m}})
	}
}

// four-dimensions-only: q must be (B, H, N, K)
//
// Why: the leading dimensions may be any, none as well; (N, K) is refused.
func (*Attention) Forward() {
	if right {
		tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	} else {
		tensor.CheckShape("Attention.Forward: q", q, tensor.Any, tensor.Any, tensor.Any, tensor.Any)
	}
}

// dy-compared-with-v: Backward wants dy to have the shape of v
//
// Why: y is (…, N, C) and v (…, M, C); with N ≠ M the right dy is refused.
func (*Attention) Backward() {
	if right {
		tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	} else {
		tensor.CheckShape("Attention.Backward: dy", dy, a.v.Shape...)
	}
}

// any-dy-is-taken: Backward does not look at the shape of dy
//
// Why: a dy with fewer leading indices must be refused with a ShapeError, and is taken.
func (*Attention) Backward() {
	if right {
		tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	} else {
	}
}

// params-with-new-gradients: Params gives the four projections gradients of their own
//
// Why: Backward adds to QKV's gradient, and whoever reads Params sees zeros.
func (m *MultiHead) Params() []*tensor.Param {
	qkv, output, d := m.QKV.Weight, m.Output.Weight, m.Output.Weight.Value.Dim(0)
	return []*tensor.Param{
		tensor.NewParam("q_proj.weight", qkv.Value.Slice(0, d)),
		tensor.NewParam("k_proj.weight", qkv.Value.Slice(d, 2*d)),
		tensor.NewParam("v_proj.weight", qkv.Value.Slice(2*d, 3*d)),
		tensor.NewParam("output_proj.weight", output.Value),
	}
}

// weights-in-a-package-variable: all Attentions compute their weights in one tensor
//
// Why: a Forward of a second layer overwrites what the first needs for Backward.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
	} else {
		weightsRoom = tensor.ReuseLead(weightsRoom, lead, n, m)
		a.weights = weightsRoom
	}
}

var weightsRoom *tensor.Tensor

// order-of-positions: who attends to whom follows the positions and not the order of the tokens
//
// Why: positions are for RoPE alone; with falling positions earlier tokens see later ones.
func (*MultiHead) Forward() {
	if right {
		heads := m.Attention.Forward(m.q, m.k, m.v, m.mask)
	} else {
		mask := &Mask{N: seq, M: seq}
		for b := range batch {
			row := positions[min(b, len(positions)-1)]
			for range m.heads {
				for i := range seq {
					for j := range seq {
						mask.Attend = append(mask.Attend, row[j] <= row[i])
					}
				}
			}
		}
		heads := m.Attention.Forward(m.q, m.k, m.v, mask)
	}
}

// values-turned-too: RoPE turns the values with the keys, and Backward turns them back
//
// Why: only q and k are turned; y depends on the absolute positions.
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		m.v = m.rope.Forward(m.v, m.v, positions)
	}
}

func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
		dk = m.rope.Backward(dk, dk, m.positions)
		dv = m.rope.Backward(dv, dv, m.positions)
	}
}
