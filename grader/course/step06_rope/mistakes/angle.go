//go:build mistake

package rope

// pairs-from-one: the pairs are counted from 1: the exponent is one pair too far
//
// Why: The first pair turns by one radian a position, because Θ to the power 0 is 1. Counted from
// 1 it is already slower.
//
// Hint: The angle of pair k at position p is p·Θ^(−2k/K), k from 0.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*(k+1))/float64(dK))
	}
}

// papers-index: the paper's −2(k − 1)/K, which counts pairs from 1, is used with pairs from 0
//
// Why: RoFormer numbers its pairs 1 to K/2. With k from 0 the first pair would turn by more than a
// radian a position.
//
// Hint: The angle of pair k at position p is p·Θ^(−2k/K), k from 0.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*(k-1))/float64(dK))
	}
}

// exponent-k: the exponent is −k/K: the factor 2 is missing
//
// Why: There are K/2 pairs, so 2k/K runs from 0 to nearly 1. With k/K the slowest pair turns √Θ
// times too fast, and distant positions look alike.
//
// Hint: The angle of pair k at position p is p·Θ^(−2k/K), k from 0.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(k)/float64(dK))
	}
}

// exponent-half-width: the exponent is −2k/(K/2): it is divided by the number of pairs, and the
// factor 2 is still there
//
// Why: The exponent runs from 0 to nearly 1, either as 2k/K or as k/(K/2).
//
// Hint: The angle of pair k at position p is p·Θ^(−2k/K), k from 0.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK/2))
	}
}

// exponent-positive: the exponent is positive: Θ^(+2k/K)
//
// Why: Each pair should turn slower than the one before it. A positive exponent makes the last
// ones spin thousands of times a position.
//
// Hint: The angle of pair k at position p is p·Θ^(−2k/K), k from 0.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, float64(2*k)/float64(dK))
	}
}

// exponent-integer: the exponent 2k/K is divided as a whole number, which is 0
//
// Why: In Go, 2*k/dK between integers cuts off, and every pair turns by one radian a position.
//
// Hint: Convert before you divide: float64(2*k)/float64(dK).
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(theta, -float64(2*k/dK))
	}
}

// theta-fixed: Θ is fixed at 10000 instead of the one that is given
//
// Why: Models for long texts use another Θ: Llama 3 has 500,000.
//
// Hint: Use the argument theta.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * math.Pow(10000, -float64(2*k)/float64(dK))
	}
}

// float32-angles: the angles are computed in float32
//
// Why: float32 keeps seven digits. An angle of 10,000 radians has four of them before the point,
// so its cosine is good to three.
//
// Hint: Keep the angle in float64 until math.Cos and math.Sin have been taken.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(float32(p) * float32(math.Pow(theta, -float64(2*k)/float64(dK))))
	}
}

// float32-angles/frequency: the frequencies are rounded to float32 before they are multiplied by
// the position
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p) * float64(float32(math.Pow(theta, -float64(2*k)/float64(dK))))
	}
}

// float32-angles/inverse: the angles are computed in float32, as the position divided by
// Θ^(2k/d_k)
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(float32(p) / float32(math.Pow(theta, float64(2*k)/float64(dK))))
	}
}

// positions-from-one: positions are counted from 1: row 0 of the tables is turned already
//
// Why: Scores depend on distances only, so a model would not notice; but position 0 is the one
// that is not turned at all.
//
// Hint: Row p of the tables holds the angles p·Θ^(−2k/K): cosine 1 and sine 0 in row 0.
func New() {
	if right {
		angle := float64(p) * math.Pow(theta, -float64(2*k)/float64(dK))
	} else {
		angle := float64(p+1) * math.Pow(theta, -float64(2*k)/float64(dK))
	}
}

// sine-cosine-swapped: cosine and sine are exchanged in the tables
//
// Why: At angle 0 nothing turns: cosine 1, sine 0.
//
// Hint: Cos holds the cosines.
func New() {
	if right {
		cos[k] = float32(math.Cos(angle))
		sin[k] = float32(math.Sin(angle))
	} else {
		cos[k] = float32(math.Sin(angle))
		sin[k] = float32(math.Cos(angle))
	}
}

// odd-width-allowed: an odd d_k is not refused
//
// Why: One number would be left without a partner.
//
// Hint: New panics with a ShapeError unless dK is positive and even.
func New() {
	if right {
		if dK <= 0 || dK%2 != 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	} else {
		if dK <= 0 {
			panic(tensor.ShapeError{Op: "rope.New: dK must be positive and even", Got: []int{dK}})
		}
	}
}
