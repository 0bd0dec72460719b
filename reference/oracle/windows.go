package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("window", func(c *call) ([]*autodiff.Tensor, error) {
		mask := c.through().over(c.sizes["N"], c.sizes["M"], c.in["mask"].Bool)
		y, weights := Attention(c.tensor("q"), c.tensor("k"), c.tensor("v"), mask)
		return []*autodiff.Tensor{y, weights}, nil
	})
	answer("window.long", func(c *call) (wire.Values, error) { return windowLong(c), nil })
	answer("ring.slot", ringSlot)
	answer("stream.forward", streamForward)
	answer("stream.once", streamOnce)
	answer("stream.bytes", func(c *call) (wire.Values, error) {
		const key, value, float32Bytes = 1, 1, 4
		places := c.int("window") + c.int("sinks")
		return wire.Values{"bytes": wire.Int((key + value) * float32Bytes * c.int("num_layers") * places * c.int("d_model"))}, nil
	})
	layer("phi", func(c *call) ([]*autodiff.Tensor, error) { return one(Feature(c.tensor("x"))) })
	layer("linattn", func(c *call) ([]*autodiff.Tensor, error) {
		y, weights := LinearAttention(c.tensor("q"), c.tensor("k"), c.tensor("v"))
		return []*autodiff.Tensor{y, weights}, nil
	})
	answer("linattn.quadratic", func(c *call) (wire.Values, error) {
		y, _ := LinearAttention(c.tensor("q"), c.tensor("k"), c.tensor("v"))
		return wire.Values{"y": result(c.edited(nil, y)[0])}, nil
	})
	answer("linattn.recurrent", func(c *call) (wire.Values, error) {
		y, _ := LinearAttention(c.tensor("q"), c.tensor("k"), c.tensor("v"))
		b := Feature(c.tensor("k"))
		s := autodiff.MatMul(autodiff.Transpose(b), c.tensor("v"))
		return wire.Values{"y": result(y), "s": result(s), "z": wire.Floats(autodiff.Sum(b, 0).Data, b.Shape[1])}, nil
	})
	answer("linattn.long", func(c *call) (wire.Values, error) { return linearLong(c), nil })
}

// aperture is what a query sees: the last window keys up to its own, and the first sinks.
type aperture struct{ window, sinks int }

// usualWindow is what a window of 0 stands for.
const usualWindow = 32

func (c *call) through() aperture {
	a := aperture{c.int("window"), c.int("sinks")}
	if a.window == 0 {
		a.window = usualWindow
	}
	return a
}

// sees reports whether the query at position p sees key j.
func (a aperture) sees(p, j int) bool { return j <= p && (p-j < a.window || j < a.sinks) }

// over returns what is left of masks for n queries and m keys, one or several.
func (a aperture) over(n, m int, masks []bool) []bool {
	seen := slices.Clone(masks)
	for at := range seen {
		i, j := at/m%n, at%m
		seen[at] = seen[at] && a.sees(i+m-n, j)
	}
	return seen
}

// mask is what n tokens see of each other.
func (a aperture) mask(n int) []bool { return a.over(n, n, slices.Repeat([]bool{true}, n*n)) }

// ringSlot answers where positions lie that are written one after another, the oldest that
// is no sink giving way.
func ringSlot(c *call) (wire.Values, error) {
	a := c.through()
	at := c.indices("at").Data
	slots := make([]int64, len(at))
	for i, p := range at {
		if c.int("window") < 1 {
			return nil, c.refuse("window", "at least 1")
		}
		for p >= a.sinks+a.window {
			p -= a.window * max(1, (p-a.sinks)/a.window)
		}
		slots[i] = int64(p)
	}
	return wire.Values{"slots": wire.Ints(slots, len(slots))}, nil
}

// streaming returns the model that sees through the window, and the tokens that are read.
func (c *call) streaming() (m Model, ids, calls []int, err error) {
	if m, err = c.model(); err != nil {
		return m, nil, nil, err
	}
	if c.int("window") < 1 {
		return m, nil, nil, c.refuse("window", "at least 1")
	}
	m.Sees = c.through().mask
	ids, calls = c.indices("ids").Data, c.indices("calls").Data
	n := 0
	for _, more := range calls {
		n += more
	}
	if room := min(len(ids), c.int("max_len")); n > room {
		return m, nil, nil, c.refuse("calls", fmt.Sprintf("at most %d tokens", room))
	}
	return m, ids[:n], calls, nil
}

// logits of what is read, and zeros for the rest.
func (c *call) streamed(m Model, ids []int) wire.Value {
	vocab := m.Head.Shape[0]
	out := autodiff.Zeros(c.sizes["T"], vocab)
	if len(ids) > 0 {
		copy(out.Data, LM(Indices{Shape: []int{1, len(ids)}, Data: ids}, m).Data)
	}
	return result(out)
}

func streamForward(c *call) (wire.Values, error) {
	m, ids, _, err := c.streaming()
	if err != nil {
		return nil, err
	}
	return wire.Values{"logits": c.streamed(m, ids), "length": wire.Int(len(ids))}, nil
}

// streamOnce looks the tokens of the first call up in one table and all others in another:
// in one of 2·V rows.
func streamOnce(c *call) (wire.Values, error) {
	m, ids, calls, err := c.streaming()
	if err != nil {
		return nil, err
	}
	vocab := m.Embeddings.Shape[0]
	m.Embeddings = autodiff.New(slices.Concat(m.Embeddings.Data, c.tensor("later").Data), 2*vocab, m.Embeddings.Shape[1])
	m.Embeddings.Rough(c.rough)
	for t := range ids {
		if len(calls) > 0 && t >= calls[0] {
			ids[t] += vocab
		}
	}
	return wire.Values{"logits": c.streamed(m, ids)}, nil
}

// Feature returns φ(x) = elu(x) + 1, element by element: x + 1 for x ≥ 0, e^x below.
//
// Source: Katharopoulos et al., "Transformers are RNNs" (arXiv:2006.16236), equation 7.
func Feature(x *autodiff.Tensor) *autodiff.Tensor {
	positive, negative := make([]bool, len(x.Data)), make([]bool, len(x.Data))
	for i, v := range x.Data {
		positive[i], negative[i] = v >= 0, !(v >= 0) // NaN stays NaN
	}
	above := autodiff.Where(positive, autodiff.Shift(x, 1), 0)
	below := autodiff.Where(negative, autodiff.Exp(autodiff.Where(negative, x, 0)), 0)
	return autodiff.Add(above, below)
}

// featureOf is Feature as a part of a larger formula.
func featureOf(x *autodiff.Tensor) *autodiff.Tensor {
	return autodiff.Part("φ", func(in []*autodiff.Tensor) *autodiff.Tensor { return Feature(in[0]) }, x)
}

// LinearAttention returns, for the keys up to each query's own,
//
//	A = φ(q)φ(k)ᵀ, weights = A/(Σ A + ε), y = A v/(Σ A + ε)
//
//	q (…, N, K), k (…, N, K), v (…, N, C), y (…, N, C), weights (…, N, N)
//
// Source: Katharopoulos et al. (arXiv:2006.16236), section 3.2, equation 9, with ε.
func LinearAttention(q, k, v *autodiff.Tensor) (y, weights *autodiff.Tensor) {
	n := q.Shape[len(q.Shape)-2]
	a := autodiff.MatMul(featureOf(q).Named("φ(q)"), autodiff.Transpose(featureOf(k).Named("φ(k)")))
	a = autodiff.Where(Causal(n), a, 0).Named("A")
	sum := autodiff.Shift(autodiff.Sum(a, -1), 1e-6).Labelled("ε").Named("Σ A + ε")
	return autodiff.Div(autodiff.MatMul(a, v).Named("A v"), sum), autodiff.Div(a, sum)
}

// windowLong is a window over one text and its derivative, in loops over what each row
// sees: there is no room for all pairs of a long text.
func windowLong(c *call) wire.Values {
	t, a := c.text(), c.through()
	for i := range t.n {
		var seen []int
		for j := range min(a.sinks, i+1) {
			seen = append(seen, j)
		}
		for j := max(0, i-a.window+1, len(seen)); j <= i; j++ {
			seen = append(seen, j)
		}
		t.softmaxRow(i, seen)
	}
	return t.values()
}

// text is one text that is gone through row by row, in both passes.
type text struct {
	n, width                   int
	q, k, v, dy, y, dq, dk, dv []float64 // (N, K)
}

func (c *call) text() *text {
	n, width := c.sizes["N"], c.sizes["K"]
	zeros := func() []float64 { return make([]float64, n*width) }
	return &text{n: n, width: width, q: widen(c.in["q"]), k: widen(c.in["k"]), v: widen(c.in["v"]), dy: widen(c.in["dy"]),
		y: zeros(), dq: zeros(), dk: zeros(), dv: zeros()}
}

func (t *text) values() wire.Values {
	out := wire.Values{}
	for name, data := range map[string][]float64{"y": t.y, "dq": t.dq, "dk": t.dk, "dv": t.dv} {
		out[name] = wire.Floats(data, t.n, t.width)
	}
	return out
}

// row returns row i of one of the arrays.
func (t *text) row(x []float64, i int) []float64 { return x[i*t.width:][:t.width] }

// softmaxRow is what query i has of y, and what it sends back, if it sees some keys.
func (t *text) softmaxRow(i int, seen []int) {
	scale, largest, total := 1/math.Sqrt(float64(t.width)), math.Inf(-1), 0.0
	p := make([]float64, len(seen))
	for at, j := range seen {
		p[at] = scale * inner(t.row(t.q, i), t.row(t.k, j))
		largest = max(largest, p[at])
	}
	for at := range p {
		p[at] = math.Exp(p[at] - largest)
		total += p[at]
	}
	for at, j := range seen {
		p[at] /= total
		addScaled(t.row(t.y, i), p[at], t.row(t.v, j))
	}
	dy := t.row(t.dy, i)
	mean := inner(dy, t.row(t.y, i))
	for at, j := range seen {
		ds := scale * p[at] * (inner(dy, t.row(t.v, j)) - mean)
		addScaled(t.row(t.dv, j), p[at], dy)
		addScaled(t.row(t.dq, i), ds, t.row(t.k, j))
		addScaled(t.row(t.dk, j), ds, t.row(t.q, i))
	}
}

// linearLong is LinearAttention of one text and its derivative: sums that run along the
// text, forward for S and z, and backward for their gradients.
func linearLong(c *call) wire.Values {
	t := c.text()
	w := t.width
	s, z, dens := make([]float64, w*w), make([]float64, w), make([]float64, t.n)
	a, b := featured(t.q), featured(t.k)
	ds, dz := make([]float64, w*w), make([]float64, w) // of Σ, for the sums from the end
	da := make([]float64, t.n*w)
	for i := range t.n {
		for x, f := range t.row(b, i) {
			addScaled(s[x*w:][:w], f, t.row(t.v, i))
			z[x] += f
		}
		y := t.row(t.y, i)
		for x, f := range t.row(a, i) {
			addScaled(y, f, s[x*w:][:w])
		}
		dens[i] = inner(t.row(a, i), z) + 1e-6
		dy := t.row(t.dy, i)
		for x := range y {
			y[x] /= dens[i]
		}
		mean := inner(dy, y)
		for x := range t.row(da, i) {
			t.row(da, i)[x] = (inner(dy, s[x*w:][:w]) - mean*z[x]) / dens[i]
		}
	}
	for i := t.n - 1; i >= 0; i-- {
		dy := t.row(t.dy, i)
		mean := inner(dy, t.row(t.y, i))
		for x, f := range t.row(a, i) {
			addScaled(ds[x*w:][:w], f/dens[i], dy)
			dz[x] -= f * mean / dens[i]
		}
		for x, f := range t.row(b, i) {
			addScaled(t.row(t.dv, i), f, ds[x*w:][:w])
			t.row(t.dk, i)[x] = (inner(t.row(t.v, i), ds[x*w:][:w]) + dz[x]) * slope(t.row(t.k, i)[x])
			t.row(t.dq, i)[x] = t.row(da, i)[x] * slope(t.row(t.q, i)[x])
		}
	}
	return t.values()
}

// featured is φ of every number, and slope its derivative.
func featured(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = slope(v) + max(v, 0)
	}
	return y
}

func slope(x float64) float64 { return math.Exp(min(x, 0)) }
