//go:build mistake

package rmsnorm

// eps-outside-root: ε is added outside the root: √mean(x²) + ε
//
// Why: Inside the root ε is compared with the mean square, outside with the root mean square. For
// small rows the two differ by a factor of hundreds.
//
// Hint: Add Eps first, then take the root: √(mean(x²) + ε).
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / (math.Sqrt(kernel.SumSquares(xn)/float64(len(g))) + Eps))
	}
}

// eps-outside-root/derivative-too
//
// With: eps-outside-root
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dh, h) / float32(len(g))
		if mean != 0 {
			mean /= 1 - Eps*r // 0 for a row of zeros
		}
	}
}

// eps-outside-root/forward-only
//
// With: eps-outside-root
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}

// eps-missing: there is no ε
//
// Why: Without ε a row of zeros is divided by zero, and a row of tiny numbers is blown up to size 1.
//
// Hint: √(mean(x²) + Eps).
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))))
	}
}

// eps-missing/forward-only
//
// With: eps-missing
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}

// eps-squared: ε is squared
//
// Why: Some codes call ε what others call its root. Here ε = 1e-5 stands beside the mean square as
// it is.
//
// Hint: √(mean(x²) + Eps), not Eps².
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps*Eps))
	}
}

// eps-squared/forward-only
//
// With: eps-squared
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}

// eps-1e-6: ε is 1e-6
//
// Why: 1e-6 is the value of T5 and of later models. This course uses Llama's 1e-5, and a model
// that is loaded with another ε computes something else.
//
// Hint: const Eps = 1e-5 stands in the stub; use it.
const Eps = 1e-6

// eps-1e-8: ε is 1e-8
//
// Why: 1e-8 is the ε of Adam and of the first RMSNorm code. This course uses Llama's 1e-5.
//
// Hint: const Eps = 1e-5 stands in the stub; use it.
const Eps = 1e-8

// eps-on-sum: ε is added to the sum of the squares, before the division by D
//
// Why: Then ε is divided by D as well, and the norm depends on the width of the model.
//
// Hint: First the mean, sum/D, then + Eps, then the root.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / math.Sqrt((kernel.SumSquares(xn)+Eps)/float64(len(g))))
	}
}

// eps-on-sum/forward-only
//
// With: eps-on-sum
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}

// root-forgotten: the root is forgotten: x is divided by mean(x²) + ε
//
// Why: Mean squares have the unit of x². Dividing by one makes large rows small instead of making
// all rows equal.
//
// Hint: Divide by the root of the mean square.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(1 / (kernel.SumSquares(xn)/float64(len(g)) + Eps))
	}
}

// root-forgotten/derivative-too
//
// With: root-forgotten
func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.Axpy(-2*r*mean, xn, dxn)
	}
}

// root-forgotten/forward-only
//
// With: root-forgotten
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}

// multiplied: x is multiplied by the root mean square instead of divided by it
//
// Why: A norm takes the size of a row away. Multiplied, it counts twice.
//
// Hint: y = x / √(mean(x²) + ε) ⊙ g.
func (*RMSNorm) Forward() {
	if right {
		r := float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	} else {
		r := float32(math.Sqrt(kernel.SumSquares(xn)/float64(len(g)) + Eps))
	}
}

// multiplied/forward-only
//
// With: multiplied
func (*RMSNorm) Forward() {
	if right {
		l.r[n] = r
	} else {
		l.r[n] = float32(1 / math.Sqrt(kernel.SumSquares(xn)/float64(len(g))+Eps))
	}
}
