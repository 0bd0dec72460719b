package quiz

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// draw collects the numbers of a question. What fails is kept in err, the first
// failure only, so that those who draw need not look after each line.
type draw struct {
	rng     *rand.Rand
	values  map[string]string // by placeholder
	answers []string          // those that were held to the oracle
	err     error
}

// drawn draws the numbers of a question.
func drawn(name string, rng *rand.Rand) (*draw, error) {
	d := &draw{rng: rng, values: map[string]string{}}
	draws()[name](d)
	if d.err != nil {
		return nil, fmt.Errorf("%s: %w", name, d.err)
	}
	return d, nil
}

// int returns a whole number from lo to hi.
func (d *draw) int(lo, hi int) int { return lo + d.rng.IntN(hi-lo+1) }

// small returns a whole number from −3 to 3 that is not 0.
func (d *draw) small() float64 {
	return d.pick(-3, -2, -1, 1, 2, 3)
}

// pick returns one of the numbers.
func (d *draw) pick(from ...float64) float64 { return from[d.rng.IntN(len(from))] }

// vector and matrix return small numbers.
func (d *draw) vector(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = d.small()
	}
	return x
}

func (d *draw) matrix(rows, cols int) [][]float64 {
	x := make([][]float64, rows)
	for i := range x {
		x[i] = d.vector(cols)
	}
	return x
}

// set gives a placeholder its value: a text, a number, a vector or a matrix. Of a vector
// x there are x0, x1, …, too; of a matrix its rows W0, W1, … and its numbers W00, W01, ….
func (d *draw) set(name string, value any) {
	switch v := value.(type) {
	case string:
		d.values[name] = v
	case int:
		d.values[name] = number(float64(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			d.fail(fmt.Errorf("%s is %v", name, v))
		}
		d.values[name] = number(v)
	case []float64:
		d.values[name] = row(v)
		for i, x := range v {
			d.set(fmt.Sprint(name, i), x)
		}
	case [][]float64:
		for i, x := range v {
			d.set(fmt.Sprint(name, i), x)
		}
		d.values[name] = matrix(v)
	default:
		d.fail(fmt.Errorf("%s: no value of a placeholder is a %T", name, value))
	}
}

// answer gives a placeholder the truth, in the form of what was worked out by hand, and
// fails if the two disagree.
func (d *draw) answer(name string, byHand any, truth []float64) {
	hand := flat(byHand)
	if len(hand) != len(truth) {
		if d.err == nil {
			d.fail(fmt.Errorf("%s: by hand %d numbers, the oracle has %d", name, len(hand), len(truth)))
		}
		return
	}
	for i, x := range truth {
		if !(math.Abs(x-hand[i]) <= 1e-9*max(1, math.Abs(x))) { // NaN neither
			d.fail(fmt.Errorf("%s: number %d is %v by hand, %v by the oracle", name, i, hand[i], x))
		}
	}
	d.answers = append(d.answers, name)
	switch v := byHand.(type) {
	case [][]float64:
		cols := len(v[0])
		like := make([][]float64, len(v))
		for i := range like {
			like[i] = truth[i*cols : (i+1)*cols]
		}
		d.set(name, like)
	case []float64:
		d.set(name, truth)
	default:
		d.set(name, truth[0])
	}
}

func (d *draw) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// ask returns the oracle's answer.
func (d *draw) ask(function string, in wire.Values) wire.Values {
	out, err := oracle.Eval(function, in)
	if err != nil {
		d.fail(err)
	}
	return out
}

// flat returns the numbers of a number, a vector or a matrix in one row.
func flat(value any) []float64 {
	switch v := value.(type) {
	case float64:
		return []float64{v}
	case int:
		return []float64{float64(v)}
	case []float64:
		return v
	case [][]float64:
		var all []float64
		for _, x := range v {
			all = append(all, x...)
		}
		return all
	}
	return nil
}

// reals returns a value's numbers, whole ones too.
func reals(v wire.Value) []float64 {
	if v.DType != wire.I64 {
		return v.F64
	}
	x := make([]float64, len(v.I64))
	for i, n := range v.I64 {
		x[i] = float64(n)
	}
	return x
}

// values for the oracle: a matrix (rows, cols), and its numbers in another shape.
func tensor(x [][]float64) wire.Value { return wire.Floats(flat(x), len(x), len(x[0])) }

func shaped(x any, shape ...int) wire.Value { return wire.Floats(flat(x), shape...) }

func zeros(rows, cols int) wire.Value { return wire.Floats(make([]float64, rows*cols), rows, cols) }

// By hand: what the worked answers do.

// times returns a·bᵀ: (n, k)·(m, k)ᵀ = (n, m).
func times(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range a {
		for j := range b {
			c[i] = append(c[i], dot(a[i], b[j]))
		}
	}
	return c
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func transposed(a [][]float64) [][]float64 {
	t := make([][]float64, len(a[0]))
	for j := range t {
		for i := range a {
			t[j] = append(t[j], a[i][j])
		}
	}
	return t
}

// each returns a ⊙ b.
func each(a, b []float64) []float64 {
	c := make([]float64, len(a))
	for i := range a {
		c[i] = a[i] * b[i]
	}
	return c
}

// plus returns a + f·b.
func plus(a []float64, f float64, b []float64) []float64 {
	c := make([]float64, len(a))
	for i := range a {
		c[i] = a[i] + f*b[i]
	}
	return c
}

func scaled(f float64, a []float64) []float64 { return plus(make([]float64, len(a)), f, a) }
