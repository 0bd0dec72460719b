//go:build mistake

package rmsnorm

// gain-forgotten: the gain is not applied
//
// Why: The gain lets the model give a feature back the size that the norm took away. At the start
// it is 1, and a test with gains of 1 cannot see it.
//
// Hint: y[i] = x[i]·r·g[i].
func (*RMSNorm) Forward() {
	if right {
		kernel.ScaledMul(l.y.Row(n), r, xn, g)
	} else {
		kernel.ScaledMul(l.y.Row(n), r, xn, slices.Repeat([]float32{1}, len(g)))
	}
}

// gain-forgotten/derivative-too
//
// With: gain-forgotten
func (*RMSNorm) Backward() {
	if right {
		xn, dyn := l.x.Row(n), dy.Row(n)
	} else {
		xn, dyn := l.x.Row(n), dy.Row(n)
		g := slices.Repeat([]float32{1}, len(g))
	}
	if right {
		kernel.ScaledMulAdd(dg, r, dyn, xn, 1, dg)
	} else {
		_ = dg
	}
}

// gain-twice: the gain is applied twice
//
// Why: Once into the normalised row, once into the output: two lines that each look right.
//
// Hint: Exactly one factor g[i] stands in y[i].
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		kernel.Mul(l.y.Row(n), l.y.Row(n), g)
		l.r[n] = r
	}
}

// gain-twice/derivative-too
//
// With: gain-twice
func (*RMSNorm) Backward() {
	if right {
		xn, dyn := l.x.Row(n), dy.Row(n)
	} else {
		xn, dyn := l.x.Row(n), dy.Row(n)
		once, g := g, slices.Clone(g)
		kernel.Mul(g, g, once)
	}
	if right {
		kernel.ScaledMulAdd(dg, r, dyn, xn, 1, dg)
	} else {
		for i, v := range xn {
			dg[i] += float32(2 * r * float64(dyn[i]) * float64(v) * float64(once[i]))
		}
	}
}

// gain-plus-one: the row is multiplied by 1 + g
//
// Why: Gemma stores g − 1, so that weight decay pulls towards 1. Here the gain is stored as it is
// and starts at 1.
//
// Hint: y[i] = x[i]·r·g[i].
func (*RMSNorm) Forward() {
	if right {
		kernel.ScaledMul(l.y.Row(n), r, xn, g)
	} else {
		kernel.ScaledMulAdd(l.y.Row(n), r, xn, g, r, xn)
	}
}

// gain-plus-one/derivative-too
//
// With: gain-plus-one
func (*RMSNorm) Backward() {
	if right {
		xn, dyn := l.x.Row(n), dy.Row(n)
	} else {
		xn, dyn := l.x.Row(n), dy.Row(n)
		g := slices.Repeat([]float32{1}, len(g))
		kernel.Add(g, g, l.Gain.Value.Data)
	}
}

// gain-inside: the gain is applied before the norm
//
// Why: Then the norm takes away again what the gain gave.
//
// Hint: The root mean square is that of x alone; the gain comes last.
func (*RMSNorm) Forward() {
	if right {
		r := 1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps)
	} else {
		gained := make([]float32, len(g))
		kernel.Mul(gained, xn, g)
		r := 1 / math.Sqrt(kernel.SumSquares(gained)/float64(len(g))+Eps)
	}
}
