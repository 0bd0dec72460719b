package classic

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Block is that of step 09 in the order of 2017, or in its own order, with dropout behind
// attention and network, or without.
type Block struct {
	Norm1 *rmsnorm.RMSNorm
	Attn  *attention.MultiHead
	Norm2 *rmsnorm.RMSNorm
	FFN   *swiglu.SwiGLU

	attend        *attending
	first, second Layer
	drops         *drops // of all blocks together
	generator     *rand.PCG
	number        uint64 // of the block among all of the program
	round         uint64 // for which its generator was set
	post          bool
}

// drops says for all blocks of a program whether numbers are dropped now.
type drops struct {
	on          bool
	seed, round uint64
	blocks      uint64 // that there are so far
	layers      []*Dropout
}

// usualDropout is the probability of both papers, that of 2017 and GPT-2's.
const usualDropout = 0.1

// Arranged returns a function that stands in for New of step 09. With postNorm the norms
// stand behind the sums. With layerNorm these are LayerNorms, whose biases lie below the
// gains: (2, D). With dropout a tenth of what attention and network return is dropped while
// somebody trains, who says so by Drop.
func Arranged(postNorm, layerNorm, dropout bool) func(ln1 *tensor.Param, attn *attention.MultiHead,
	ln2 *tensor.Param, ffn *swiglu.SwiGLU) *Block {

	shared := new(drops)
	return func(ln1 *tensor.Param, attn *attention.MultiHead, ln2 *tensor.Param, ffn *swiglu.SwiGLU) *Block {
		if layerNorm {
			ln1, ln2 = withBias(ln1), withBias(ln2)
		}
		b := &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn,
			attend: &attending{MultiHead: attn}, drops: shared, generator: rand.NewPCG(0, 0), number: shared.blocks,
			post: postNorm}
		shared.blocks++
		branches := [2]Layer{b.attend, ffn}
		if dropout {
			rng := rand.New(b.generator)
			for i, branch := range branches {
				drop := NewDropout(usualDropout, rng)
				shared.layers = append(shared.layers, drop)
				branches[i] = chain{branch, drop}
			}
		}
		if postNorm {
			b.first, b.second = NewPostNorm(branches[0], b.Norm1), NewPostNorm(branches[1], b.Norm2)
		} else {
			b.first, b.second = &preNorm{F: branches[0], Norm: b.Norm1}, &preNorm{F: branches[1], Norm: b.Norm2}
		}
		return b
	}
}

// withBias returns a gain with a row of zeros below it, unless it has one.
func withBias(gain *tensor.Param) *tensor.Param {
	if len(gain.Value.Shape) == 2 {
		return gain
	}
	both := tensor.New(2, gain.Value.Dim(0))
	copy(both.Row(0), gain.Value.Data)
	return tensor.NewParam(gain.Name, both)
}

// Drop lets all blocks of the program drop numbers until Keep, by what the seed and the
// round say: whoever begins a round again has the same dropped.
func (b *Block) Drop(seed, round uint64) {
	b.drops.seed, b.drops.round = seed, round+1
	b.drops.set(true)
}

// Keep lets all blocks of the program drop nothing, which is what they begin with.
func (b *Block) Keep() { b.drops.set(false) }

func (d *drops) set(on bool) {
	d.on = on
	for _, layer := range d.layers {
		layer.Training = on
	}
}

// ReadsWhole reports whether a text is read from its beginning: a cache of step 12 has the
// order of step 09.
func (b *Block) ReadsWhole() bool { return b.post }

// Params returns the nine parameters as step 09 does.
func (b *Block) Params() []*tensor.Param {
	named := func(name string, p *tensor.Param) *tensor.Param {
		return &tensor.Param{Name: name, Value: p.Value, Grad: p.Grad}
	}
	params := []*tensor.Param{named("ln1.weight", b.Norm1.Gain)}
	for _, p := range b.Attn.Params() {
		params = append(params, named("attn."+p.Name, p))
	}
	return append(params, named("ln2.weight", b.Norm2.Gain), named("ffn.w1.weight", b.FFN.W1.Weight),
		named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
}

// Forward computes, in the order of 2017,
//
//	y = Norm1(x + Attn(x))    (B, T, D)
//	z = Norm2(y + FFN(y))     (B, T, D)
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	if b.drops.on && b.round != b.drops.round {
		b.round = b.drops.round
		b.generator.Seed(b.drops.seed, b.round<<32+b.number)
	}
	b.attend.positions = positions
	return b.second.Forward(b.first.Forward(x))
}

// Backward takes dz and returns dx, both (B, T, D).
func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	return b.first.Backward(b.second.Backward(dz))
}

// attending is attention as a Layer, for the positions of a call.
type attending struct {
	*attention.MultiHead
	positions [][]int
}

// Forward is that of step 08.
func (a *attending) Forward(x *tensor.Tensor) *tensor.Tensor {
	return a.MultiHead.Forward(x, a.positions)
}

// chain is a layer and one behind it.
type chain struct{ first, second Layer }

// Forward goes through both.
func (c chain) Forward(x *tensor.Tensor) *tensor.Tensor { return c.second.Forward(c.first.Forward(x)) }

// Backward goes through both, from the end.
func (c chain) Backward(dy *tensor.Tensor) *tensor.Tensor {
	return c.first.Backward(c.second.Backward(dy))
}

// preNorm is the order of step 09: y = x + f(Norm(x)).
type preNorm struct {
	F, Norm Layer
	y, dx   *tensor.Tensor
}

// Forward computes y = x + f(Norm(x)).
func (p *preNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	p.y = tensor.Reuse(p.y, x.Shape...)
	kernel.Add(p.y.Data, x.Data, p.F.Forward(p.Norm.Forward(x)).Data)
	return p.y
}

// Backward computes dx = dy + Norm.Backward(F.Backward(dy)).
func (p *preNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	p.dx = tensor.Reuse(p.dx, dy.Shape...)
	kernel.Add(p.dx.Data, dy.Data, p.Norm.Backward(p.F.Backward(dy)).Data)
	return p.dx
}
