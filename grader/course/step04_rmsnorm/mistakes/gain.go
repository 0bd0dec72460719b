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
		kernel.Mul(yn, yn, g)
	} else {
	}
}

// gain-forgotten/derivative-too
//
// With: gain-forgotten
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		_ = dg
	}
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		copy(dh, dyn)
	}
}

// gain-twice: the gain is applied twice
//
// Why: Once into the normalised row, once into the output: two lines that each look right.
//
// Hint: Exactly one factor g[i] stands in y[i].
func (*RMSNorm) Forward() {
	if right {
		kernel.Mul(yn, yn, g)
	} else {
		kernel.Mul(yn, yn, g)
		kernel.Mul(yn, yn, g)
	}
}

// gain-twice/derivative-too
//
// With: gain-twice
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		for i, d := range dyn {
			dg[i] += 2 * d * h[i] * g[i]
		}
	}
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		kernel.Mul(dh, dyn, g)
		kernel.Mul(dh, dh, g)
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
		kernel.Mul(yn, yn, g)
	} else {
		kernel.MulAdd(yn, yn, g)
	}
}

// gain-plus-one/derivative-too
//
// With: gain-plus-one
func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		copy(dh, dyn)
		kernel.MulAdd(dh, dyn, g)
	}
}

// gain-inside: the gain is applied before the norm
//
// Why: Then the norm takes away again what the gain gave.
//
// Hint: The root mean square is that of x alone; the gain comes last.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		kernel.Mul(yn, xn, g)
		r := float32(1 / math.Sqrt(kernel.SumSquares(yn)/float64(len(g))+Eps))
	}
}
