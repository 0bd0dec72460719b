//go:build mistake

package swiglu

// dff-rounded-down: d_ff is rounded down to a multiple of 64
//
// Why: Rounded to the nearest multiple, the number of parameters stays as close as it can to that
// of the network it replaces.
//
// Hint: Integer division cuts off. Add half of the divisor before you divide.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * max(1, dModel/24)
	}
}

// dff-rounded-down/to-zero: d_ff is rounded down to a multiple of 64, even to 0
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * (dModel / 24)
	}
}

// dff-rounded-up: d_ff is rounded up to a multiple of 64
//
// Why: Rounded to the nearest multiple, the number of parameters stays as close as it can to that
// of the network it replaces.
//
// Hint: Round to the nearest multiple; Llama's code rounds up.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * ((dModel + 23) / 24)
	}
}

// dff-tie-down: a d_ff halfway between two multiples of 64 is rounded down
//
// Why: Rounded to the nearest multiple, the number of parameters stays as close as it can to that
// of the network it replaces.
//
// Hint: A tie goes up: (dModel + 12)/24, not + 11.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * max(1, (dModel+11)/24)
	}
}

// dff-tie-to-even: a d_ff halfway between two multiples of 64 is rounded to the even one
//
// Why: math.RoundToEven is fairer on average; the contract asks for a tie to go up.
//
// Hint: Use math.Round, or whole numbers: (dModel + 12)/24.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		n := (dModel + 12) / 24
		if (dModel+12)%24 == 0 && n%2 == 1 {
			n--
		}
		return 64 * max(1, n)
	}
}

// dff-no-minimum: d_ff is 0 for a small model
//
// Why: A layer of width 0 passes nothing on.
//
// Hint: At least 64: take the larger of the two.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * ((dModel + 12) / 24)
	}
}

// dff-not-rounded: d_ff is not rounded to a multiple of 64
//
// Why: Hardware works in blocks. A width that is no multiple of the block leaves a part of each
// one empty.
//
// Hint: Divide by 64, round to the nearest whole number, multiply by 64.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 8 * dModel / 3
	}
}

// dff-not-rounded/at-least-64: d_ff is 8/3·d_model but at least 64, and not rounded to a multiple
// of 64
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return max(64, 8*dModel/3)
	}
}

// dff-not-rounded/to-nearest: d_ff is 8/3·d_model rounded to the nearest whole number, and not to
// a multiple of 64
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return (8*dModel + 1) / 3
	}
}

// dff-integer-division: 8/3 is computed as a whole number, which is 2
//
// Why: In Go, 8/3 between two integers is 2. The order of the operations decides what is cut off,
// and when.
//
// Hint: Multiply first: 8·dModel/3; or compute in float64.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * max(1, (8/3*dModel+32)/64)
	}
}

// dff-four: d_ff is 4·d_model
//
// Why: 4·d_model is the width of a network of two matrices. SwiGLU has three, so each of them gets
// 2/3 of it.
//
// Hint: d_ff = 2/3·4·d_model = 8/3·d_model.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 64 * max(1, (4*dModel+32)/64)
	}
}

// dff-four/not-rounded: d_ff is 4·d_model, and not rounded to a multiple of 64
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 4 * dModel
	}
}

// dff-multiple-of-256: d_ff is rounded to a multiple of 256
//
// Why: 256 is the multiple in Llama's configuration. Here it is 64.
//
// Hint: The multiple nearest to 8/3·d_model, of 64.
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 256 * max(1, (8*dModel/3+128)/256)
	}
}

// dff-multiple-of-256/up: d_ff is rounded up to a multiple of 256
func DFF() {
	if right {
		return 64 * max(1, (dModel+12)/24)
	} else {
		return 256 * ((8*dModel/3 + 255) / 256)
	}
}
