//go:build mistake

package initializers

// same-stream-for-all: the name is not used: every tensor starts from the same stream
//
// Why: Two tensors with one stream begin with the same numbers. Layers that start equal, and are
// fed alike, learn alike.
//
// Hint: Mix the name into the generator's second seed: a hash of it (hash/fnv).
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(seed, 0))
	}
}

// same-stream-for-all/by-length: only the length of the name is used: names of the same length
// start from the same stream
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(seed, uint64(len(name))))
	}
}

// seed-ignored: the seed is not used
//
// Why: Whoever repeats an experiment with other seeds wants to know how much of a result is luck.
//
// Hint: Give rand.NewPCG the seed as one of its two numbers.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(1, h.Sum64()))
	}
}

// not-reproducible: the numbers are others in every run
//
// Why: The functions of math/rand/v2 without a generator of your own are seeded by the system. A
// run that cannot be repeated cannot be debugged.
//
// Hint: Use the seed that you are given, and no clock.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		return rand.New(rand.NewPCG(rand.Uint64(), h.Sum64()))
	}
}

// seed-plus-name: seed and name are added: another name with another seed gives the same stream
//
// Why: The sum of letters grows by 1 from layers.0 to layers.1, and so does the seed from run to
// run. Layer 1 of one run is then layer 0 of the next.
//
// Hint: Keep the two apart: one seed of the generator each. A hash scatters names better than a
// sum does.
func Rand() {
	if right {
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	} else {
		for _, b := range []byte(name) {
			seed += uint64(b)
		}
		return rand.New(rand.NewPCG(seed, 0))
	}
}

// weights-own-stream: a weight is drawn from a stream of its own instead of the rng that is handed
// in
//
// Why: All matrices of a shape then hold the same numbers, whatever the seed is. Whoever calls
// decides where the chance comes from.
//
// Hint: Hand rng on to TruncatedNormal.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		TruncatedNormal(w.Data, sigma, 3, Rand(1, "linear"))
	}
}

// weights-own-stream/embedding: an embedding is drawn from a stream of its own instead of the rng
// that is handed in
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1, 3, Rand(1, "table"))
	}
}

// weights-own-chance: a weight is drawn from the system's chance instead of the rng that is handed
// in
//
// Why: The functions of math/rand/v2 without a generator of your own are seeded by the system. A
// model that cannot be made again cannot be debugged.
//
// Hint: Hand rng on to TruncatedNormal.
func LinearWeight() {
	if right {
		TruncatedNormal(w.Data, sigma, 3, rng)
	} else {
		TruncatedNormal(w.Data, sigma, 3, Rand(rand.Uint64(), "linear"))
	}
}

// weights-own-chance/embedding: an embedding is drawn from the system's chance instead of the rng
// that is handed in
func EmbeddingWeight() {
	if right {
		TruncatedNormal(w.Data, 1, 3, rng)
	} else {
		TruncatedNormal(w.Data, 1, 3, Rand(rand.Uint64(), "table"))
	}
}

// redrawn-from-system: a draw from outside is drawn again from the system's chance instead of rng
//
// Why: At a cut of 3 it is one draw in 370, so a small tensor is the same in most runs, and a
// large one never.
//
// Hint: rng.NormFloat64() both times. rand is the package, rng the generator.
func TruncatedNormal() {
	if right {
		x = rng.NormFloat64()
	} else {
		x = rand.NormFloat64()
	}
}
