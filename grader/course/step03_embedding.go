package course

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/wire"
)

func embeddingStep() *Step {
	ids := Arg{"ids", wire.I64, "B T", "token ids, 0 ≤ id < V"}
	w := Arg{"w", wire.F32, "V D", "one row a token"}
	return &Step{
		ID: "step03", Name: "embedding", Folder: "step03_embedding",
		Title: "Embedding, a row for every token",
		Functions: []Function{
			{"embedding.forward", "y[b,t] = w[ids[b,t]]; an id outside the vocabulary is an error",
				[]Arg{ids, w}, []Arg{{"y", wire.F32, "B T D", "the rows"}}},
			{"embedding.backward", "dw = dw_before, with dy[b,t] added to row ids[b,t]; an id that occurs twice receives both",
				[]Arg{ids, w, {"dy", wire.F32, "B T D", "gradient of y"}, before("w", "V D")},
				[]Arg{{"dw", wire.F32, "V D", ""}}},
		},
		Checks: []Check{
			{"embedding.forward", "the look-up agrees with PyTorch", 25, agrees("embedding.forward")},
			{"embedding.forward.fresh", "the look-up on fresh random cases; an empty batch is fine", 15,
				all(agreesFresh("embedding.forward", drawEmbedding), agreesOn("embedding.forward", emptyEmbedding()))},
			{"embedding.forward.bad_input", "an id outside the vocabulary is an error that names the id, its position and the vocabulary size", 15, all(
				refuses("embedding.forward", "id 9 at [1][2] with a vocabulary of 7", badEmbedding(9), "9", "[1][2]", "7"),
				refuses("embedding.forward", "id 7 at [1][2], one past the vocabulary of 7,", badEmbedding(7), "7", "[1][2]"),
				refuses("embedding.forward", "id -1 at [1][2]", badEmbedding(-1), "-1", "[1][2]", "7"),
				refuses("embedding.forward", "a weight of one dimension", with(badEmbedding(1), "w", ones(7)), "7"))},
			{"embedding.backward", "the gradient agrees with PyTorch, with repeated ids, and is added", 30, agrees("embedding.backward")},
			{"embedding.backward.fresh", "the gradient on fresh random cases", 10, agreesFresh("embedding.backward", drawEmbeddingBackward)},
			{"embedding.backward.bad_input", "a gradient of the wrong width is refused", 5,
				refuses("embedding.backward", "dy with 5 features where the rows have 3", badEmbeddingBackward(), "5", "3")},
		},
		Hints: []Hint{
			{"embedding.forward", "There is nothing to multiply: y's row (b, t) is a copy of w's row ids[b][t]."},
			{"embedding.forward", "copy(y.Row(b*T+t), w.Row(id)). Number the rows of y in the order in which you meet the ids."},
			{"embedding.forward.bad_input", "Check every id before you copy anything, so that an error leaves no half-filled output behind. Return tensor.IndexError{Op: …, Got: id, Limit: V}, with the position in Op."},
			{"embedding.forward.bad_input", "fmt.Sprintf(\"Embedding.Forward: ids[%d][%d]\", b, t) names the place."},
			{"embedding.backward", "A row of w that was used three times has three outputs that depend on it. Its gradient is the sum of theirs."},
			{"embedding.backward", "Walk over the ids as in the forward pass and add (+=, never =) dy's row to Grad's row of that id."},
			{"embedding.backward", "for r, id := range kept ids { grad := Weight.Grad.Row(id); for i, g := range dy.Row(r) { grad[i] += g } }"},
		},
	}
}

func drawEmbedding(rng *rand.Rand) wire.Values {
	n := distinct(rng, 4, 3, 17)
	return wire.Values{"ids": ids(rng, n[2], n[0], n[1]), "w": normal(rng, 1, n[2], n[3])}
}

func drawEmbeddingBackward(rng *rand.Rand) wire.Values {
	in := drawEmbedding(rng)
	d := in["w"].Shape[1]
	in["dy"] = normal(rng, 1, in["ids"].Shape[0], in["ids"].Shape[1], d)
	in["dw_before"] = normal(rng, 1, in["w"].Shape...)
	return in
}

// badEmbedding has the given id at [1][2] and a vocabulary of 7.
func badEmbedding(id int64) wire.Values {
	rng := rand.New(rand.NewPCG(3, 1))
	return wire.Values{"ids": wire.Ints([]int64{0, 6, 3, 2, 5, 1, id, 4}, 2, 4), "w": normal(rng, 1, 7, 3)}
}

// badEmbeddingBackward has a dy wider than the rows.
func badEmbeddingBackward() wire.Values {
	rng := rand.New(rand.NewPCG(3, 2))
	in := with(badEmbedding(1), "dy", normal(rng, 1, 2, 4, 5))
	return with(in, "dw_before", normal(rng, 1, 7, 3))
}

func emptyEmbedding() wire.Values { return with(badEmbedding(1), "ids", wire.Ints([]int64{}, 2, 0)) }
