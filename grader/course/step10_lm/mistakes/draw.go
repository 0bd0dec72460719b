//go:build mistake

package lm

// draw-likeliest: Draw always returns the likeliest token
//
// Why: A number u between 0 and 1 falls on a line on which every token has a piece as long as its
// probability.
//
// Hint: Walk down the cumulative sum until it passes u, and return the token it has just passed.
func Draw() {
	if right {
		for id, p := range probs {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
	} else {
		best := 0
		for id, p := range probs {
			if p > probs[best] {
				best = id
			}
		}
		if sum <= u {
			return best
		}
	}
}

// draw-uniform: Draw returns every possible token equally often
//
// Why: A number u between 0 and 1 falls on a line on which every token has a piece as long as its
// probability.
//
// Hint: Walk down the cumulative sum until it passes u, and return the token it has just passed.
func Draw() {
	if right {
		for id, p := range probs {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
	} else {
		var possible []int
		for id, p := range probs {
			if p > 0 {
				possible = append(possible, id)
			}
		}
		if sum <= u {
			return possible[rng.IntN(len(possible))]
		}
	}
}

// draw-uniform/of-all: Draw returns every token equally often, even impossible ones
func Draw() {
	if right {
		for id, p := range probs {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
	} else {
		if sum <= u {
			return rng.IntN(len(probs))
		}
	}
}

// draw-one-off: Draw returns the token after the one that it has drawn
//
// Why: A number u between 0 and 1 falls on a line on which every token has a piece as long as its
// probability.
//
// Hint: Walk down the cumulative sum until it passes u, and return the token it has just passed.
func Draw() {
	if right {
		return id
	} else {
		return id + 1
	}
}

// draw-one-off/before: Draw returns the token before the one that it has drawn
func Draw() {
	if right {
		return id
	} else {
		return max(0, id-1)
	}
}

// draw-own-generator: Draw uses a generator of its own instead of the one that is passed in
//
// Why: A text that cannot be generated again cannot be looked into.
//
// Hint: Draw u from rng.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		_ = rng
		u := rand.Float64() * total
	}
}

// draw-new-generator: Draw makes a new generator in every call, which gives the same number each
// time
//
// Why: A generator moves on with every number. A new one from the same seed begins again.
//
// Hint: Draw u from rng.
func Draw() {
	if right {
		u := rng.Float64() * total
	} else {
		rng = rand.New(rand.NewPCG(1, 2))
		u := rng.Float64() * total
	}
}

// draw-fresh-number: Draw draws a new number for every token that it passes
//
// Why: A number u between 0 and 1 falls on a line on which every token has a piece as long as its
// probability. There is one u for a draw.
//
// Hint: Draw u once, before the loop.
func Draw() {
	if right {
		if u < sum {
			return id
		}
	} else {
		if u = rng.Float64() * total; u < sum {
			return id
		}
	}
}
