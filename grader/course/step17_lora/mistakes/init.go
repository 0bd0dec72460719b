//go:build mistake

package lora

import (
	"math"
)

// both-zero: both A and B are zeros
//
// Why: The gradient of each has the other as a factor: nothing would ever move.
//
// Hint: Draw A.
func Init() {
	if right {
		a.Data[i] = float32(bound * (2*rng.Float64() - 1))
	} else {
		a.Data[i] = float32(0 * bound)
	}
}

// both-random: both A and B are drawn
//
// Why: The model would begin with a random change of every layer, worse than it was.
//
// Hint: Leave B at zero.
func Init() {
	if right {
		return a, b
	} else {
		for i := range b.Data {
			b.Data[i] = float32(bound * (2*rng.Float64() - 1))
		}
		return a, b
	}
}

// zero-and-random-exchanged: it is B that is drawn, and A is zeros
//
// Why: The product is zero as well and it learns, but B multiplies r numbers and not in: its bound would be another. Here A is drawn.
//
// Hint: Draw A, leave B at zero.
func Init() {
	if right {
		for i := range a.Data {
			a.Data[i] = float32(bound * (2*rng.Float64() - 1))
		}
	} else {
		for i := range b.Data {
			b.Data[i] = float32(bound * (2*rng.Float64() - 1))
		}
	}
}

// bound-by-rank: the numbers of A are drawn from ±1/√r
//
// Why: A row of A multiplies in numbers: their sum is of the size of one if each is of the size of 1/√in.
//
// Hint: The bound is 1/√in.
func Init() {
	if right {
		bound := 1 / math.Sqrt(float64(in))
	} else {
		bound := 1 / math.Sqrt(float64(rank))
	}
}

// bound-by-outputs: the numbers of A are drawn from ±1/√out
//
// Why: A row of A multiplies in numbers, and out is the other side.
//
// Hint: The bound is 1/√in.
func Init() {
	if right {
		bound := 1 / math.Sqrt(float64(in))
	} else {
		bound := 1 / math.Sqrt(float64(out))
	}
}

// bound-without-root: the numbers of A are drawn from ±1/in
//
// Why: The bound has a root.
//
// Hint: The bound is 1/√in.
func Init() {
	if right {
		bound := 1 / math.Sqrt(float64(in))
	} else {
		bound := 1 / float64(in)
	}
}

// bound-for-spread: the numbers of A are drawn from ±√(3/in)
//
// Why: Then 1/√in is the standard deviation. Here it is the bound.
//
// Hint: The bound is 1/√in.
func Init() {
	if right {
		bound := 1 / math.Sqrt(float64(in))
	} else {
		bound := math.Sqrt(3 / float64(in))
	}
}

// bound-for-relu: the numbers of A are drawn from ±√(6/in)
//
// Why: That is the bound before a ReLU, a = 0 in the same formula. With a = √5 it is 1/√in.
//
// Hint: The bound is 1/√in.
func Init() {
	if right {
		bound := 1 / math.Sqrt(float64(in))
	} else {
		bound := math.Sqrt(6 / float64(in))
	}
}

// normal-for-even: the numbers of A are drawn from a normal distribution
//
// Why: Even in ±1/√in is wanted: all of it lies inside the bounds.
//
// Hint: rng.Float64(), and not NormFloat64.
func Init() {
	if right {
		a.Data[i] = float32(bound * (2*rng.Float64() - 1))
	} else {
		a.Data[i] = float32(bound * rng.NormFloat64())
	}
}

// positive-only: the numbers of A are drawn from 0 to 1/√in
//
// Why: With a mean that is not zero all rows point the same way.
//
// Hint: 2u − 1 is even between −1 and 1.
func Init() {
	if right {
		a.Data[i] = float32(bound * (2*rng.Float64() - 1))
	} else {
		a.Data[i] = float32(bound * rng.Float64())
	}
}

// half-as-wide: the numbers of A are drawn from ±1/(2√in)
//
// Why: u − ½ is even between −½ and ½.
//
// Hint: 2u − 1.
func Init() {
	if right {
		a.Data[i] = float32(bound * (2*rng.Float64() - 1))
	} else {
		a.Data[i] = float32(bound * (rng.Float64() - 0.5))
	}
}

// one-row-for-all: all rows of A are the same
//
// Why: Then B·A has the rank 1, whatever r is.
//
// Hint: Draw every number.
func Init() {
	if right {
		return a, b
	} else {
		for k := range rank {
			copy(a.Row(k), a.Row(0))
		}
		return a, b
	}
}
