// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package classic_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step02_linear"
	. "github.com/stubformer/stubformer/steps/step19_classic"
)

func TestStep19(t *testing.T) { subject.Test(t, "step19", functions) }

var functions = subject.Functions{
	"layernorm.forward":       func(in subject.Args) (wire.Values, error) { return forward(in, norm(in)) },
	"layernorm.backward":      normBackward,
	"layernorm_gain.forward":  func(in subject.Args) (wire.Values, error) { return forward(in, norm(in)) },
	"layernorm_gain.backward": normBackward,

	"gelu.forward":  func(in subject.Args) (wire.Values, error) { return activate(in, GELU) },
	"gelu.backward": func(in subject.Args) (wire.Values, error) { return slope(in, GELUBackward) },
	"relu.forward":  func(in subject.Args) (wire.Values, error) { return activate(in, ReLU) },
	"relu.backward": func(in subject.Args) (wire.Values, error) { return slope(in, ReLUBackward) },

	"ffn.forward": func(in subject.Args) (wire.Values, error) { return forward(in, network(in)) },
	"ffn.backward": func(in subject.Args) (wire.Values, error) {
		f := network(in)
		dx := backward(in, f, f.Params()...)
		return gradients(dx, f.Params(), "dw1", "db1", "dw2", "db2"), nil
	},

	"sinusoids": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"table": wire.Tensor(Sinusoids(in.Int("max_seq_len"), in.Int("d")))}, nil
	},
	"positions.forward": func(in subject.Args) (wire.Values, error) {
		l := positions(in)
		return forward(in, placed{l, in.Int("first")})
	},
	"positions.backward": func(in subject.Args) (wire.Values, error) {
		l := positions(in)
		first := 0
		if in.Has("first") {
			first = in.Int("first")
		}
		dx := backward(in, placed{l, first}, l.Weight)
		return wire.Values{"dx": wire.Tensor(dx), "dtable": wire.Tensor(l.Weight.Grad)}, nil
	},

	"dropout.forward": func(in subject.Args) (wire.Values, error) {
		d := dropping(in)
		out, err := forward(in, d)
		out["drawn"] = wire.Int(d.source.drawn)
		return out, err
	},
	"dropout.backward": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"dx": wire.Tensor(backward(in, dropping(in)))}, nil
	},

	"postnorm.forward": func(in subject.Args) (wire.Values, error) { return forward(in, postNorm(in)) },
	"postnorm.backward": func(in subject.Args) (wire.Values, error) {
		p := postNorm(in)
		dx := backward(in, p, p.params()...)
		return gradients(dx, p.params(), "dw", "dg", "db"), nil
	},
}

func forward(in subject.Args, l Layer) (wire.Values, error) {
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", l.Forward(in.Tensor("x"))) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

func backward(in subject.Args, l Layer, params ...*tensor.Param) (dx *tensor.Tensor) {
	in.Twice(func() {
		if in.Has("x") { // Backward without a Forward before it is refused
			in.Watch("y", l.Forward(in.Tensor("x")))
		}
		dx = in.Watch("dx", l.Backward(in.Tensor("dy")))
	}, params...)
	return dx
}

// gradients are dx and the gradients of the parameters, by their names.
func gradients(dx *tensor.Tensor, params []*tensor.Param, names ...string) wire.Values {
	out := wire.Values{"dx": wire.Tensor(dx)}
	for i, name := range names {
		out[name] = wire.Tensor(params[i].Grad)
	}
	return out
}

func norm(in subject.Args) *LayerNorm {
	names := []string{"g", "b"}
	if !in.Has("b") {
		names = names[:1]
	}
	return subject.Kept(in, func() *LayerNorm { return newNorm(in) },
		func(l *LayerNorm) []*tensor.Param { return in.Anew(given(l.Params(), l.Gain, l.Bias)...) }, names)
}

func newNorm(in subject.Args) *LayerNorm {
	if !in.Has("b") {
		return NewLayerNorm(in.Param("g"), nil)
	}
	return NewLayerNorm(in.Param("g"), in.Param("b"))
}

func normBackward(in subject.Args) (wire.Values, error) {
	l := norm(in)
	dx := backward(in, l, given(l.Params(), l.Gain, l.Bias)...)
	return gradients(dx, l.Params(), []string{"dg", "db"}[:len(l.Params())]...), nil
}

// given returns the parameters of a layer, which its Params have to be; nil is none.
func given(params []*tensor.Param, all ...*tensor.Param) []*tensor.Param {
	all = slices.DeleteFunc(all, func(p *tensor.Param) bool { return p == nil })
	same := func(p, q *tensor.Param) bool { return p.Value == q.Value && p.Grad == q.Grad }
	if !slices.EqualFunc(params, all, same) {
		panic(subject.Broken("Params does not return the parameters of the layer in their order"))
	}
	return all
}

func activate(in subject.Args, f func(dst, x []float32)) (wire.Values, error) {
	x := in.Tensor("x")
	y := subject.Together(func() *tensor.Tensor {
		y := destination(in, x)
		f(y.Data, x.Data)
		return y
	})
	return wire.Values{"y": wire.Tensor(y)}, nil
}

func slope(in subject.Args, f func(dx, x, dy []float32)) (wire.Values, error) {
	x, dy := in.Tensor("x"), in.Tensor("dy")
	dx := subject.Together(func() *tensor.Tensor {
		dx := destination(in, x)
		f(dx.Data, x.Data, dy.Data)
		return dx
	})
	return wire.Values{"dx": wire.Tensor(dx)}, nil
}

// destination is what is written to: as long as x, or of the length "dst".
func destination(in subject.Args, x *tensor.Tensor) *tensor.Tensor {
	if in.Has("dst") {
		return tensor.New(in.Int("dst"))
	}
	dst := tensor.New(x.Shape...)
	dst.Fill(0.5) // what is not overwritten, or added to, is seen
	return dst
}

func network(in subject.Args) *FeedForward {
	f := subject.Kept(in, func() *FeedForward {
		return NewFeedForward(in.Param("w1"), in.Param("b1"), in.Param("w2"), in.Param("b2"),
			Activation{GELU, GELUBackward})
	}, func(f *FeedForward) []*tensor.Param {
		return given(f.Params(), f.W1.Weight, f.B1, f.W2.Weight, f.B2)
	}, []string{"w1", "b1", "w2", "b2"})
	if in.Has("relu") {
		f.Act = []Activation{{GELU, GELUBackward}, {ReLU, ReLUBackward}}[in.Int("relu")]
	}
	return f
}

func positions(in subject.Args) *Positions {
	return subject.Kept(in, func() *Positions { return NewPositions(in.Param("table")) },
		func(l *Positions) []*tensor.Param { return in.Anew(l.Weight) }, []string{"table"})
}

// placed is a layer of positions for a text that begins at one of them.
type placed struct {
	*Positions
	first int
}

func (p placed) Forward(x *tensor.Tensor) *tensor.Tensor { return p.Positions.Forward(x, p.first) }

// dropper is a layer with a generator that gives the numbers of the call.
type dropper struct {
	*Dropout
	source *numbers
}

func dropping(in subject.Args) dropper {
	d := subject.Kept(in, func() dropper {
		s := new(numbers)
		return dropper{NewDropout(in.Float("p"), rand.New(s)), s}
	}, subject.NoParams, nil)
	if in.Has("bits") {
		d.source.given = slices.Concat(in.IDs("bits")...)
		d.Training = in.Int("training") == 1
	}
	return d
}

// Forward is that of the layer, for which the numbers begin again.
func (d dropper) Forward(x *tensor.Tensor) *tensor.Tensor {
	d.source.drawn = 0
	return d.Dropout.Forward(x)
}

// Backward is that of the layer, at a time when Training is another.
func (d dropper) Backward(dy *tensor.Tensor) *tensor.Tensor {
	d.Training = !d.Training
	defer func() { d.Training = !d.Training }()
	return d.Dropout.Backward(dy)
}

// numbers is a generator of the given numbers of 53 bits, in their order, with other bits
// above them, which Float64 leaves out. Who asks for more gets them again, from the last to
// the first.
type numbers struct {
	given []int
	drawn int
}

func (n *numbers) Uint64() uint64 {
	n.drawn++
	if len(n.given) == 0 {
		return 0
	}
	i := (n.drawn - 1) % (2 * len(n.given))
	if i >= len(n.given) {
		i = 2*len(n.given) - 1 - i
	}
	const above = 0x9e3779b97f4a7c15 // an odd number without a pattern
	return uint64(n.given[i]) | uint64(i+1)*above>>53<<53
}

// post is a PostNorm around a Linear. What its parts return must stay as it is.
type post struct {
	*PostNorm
	f    *linear.Linear
	norm *LayerNorm
}

func postNorm(in subject.Args) post {
	p := subject.Kept(in, func() post {
		f, norm := linear.New(in.Param("w")), newNorm(in)
		return post{NewPostNorm(nil, nil), f, norm}
	}, post.params, []string{"w", "g", "b"})
	p.F, p.Norm = guarded{p.f, in, "F"}, guarded{p.norm, in, "Norm"}
	return p
}

// guarded is a layer that watches what it returns.
type guarded struct {
	Layer
	in   subject.Args
	name string
}

func (g guarded) Forward(x *tensor.Tensor) *tensor.Tensor {
	return g.in.Watch(g.name+".Forward(…)", g.Layer.Forward(x))
}

func (g guarded) Backward(dy *tensor.Tensor) *tensor.Tensor {
	return g.in.Watch(g.name+".Backward(…)", g.Layer.Backward(dy))
}

func (p post) params() []*tensor.Param { return []*tensor.Param{p.f.Weight, p.norm.Gain, p.norm.Bias} }
