// Package embedding says how step 03 is checked; what its functions look like says
// fixtures/step03_embedding/functions.txt.
package embedding

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step03", Name: "embedding", Folder: "step03_embedding", Track: course.Core,
		Title:     "Embedding, a row for every token",
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step03_embedding"),
		Checks: []course.Check{
			{ID: "embedding.forward", Title: "the look-up agrees with PyTorch", Points: 15, Run: course.Agrees("embedding.forward")},
			{ID: "embedding.forward.fresh", Title: "the look-up on fresh random cases; an empty batch is fine", Points: 15,
				Run: course.All(course.AgreesFresh("embedding.forward", drawEmbedding), course.AgreesOn("embedding.forward", emptyEmbedding(), withoutRows()))},
			{ID: "embedding.forward.bad_input", Title: "an id outside the vocabulary is an error that names the id, its position and the vocabulary size", Points: 15, Run: course.All(
				course.Refuses("embedding.forward", "id 9 at [1][2] with a vocabulary of 7", badEmbedding(9), "9", "[1][2]", "7"),
				course.Refuses("embedding.forward", "id 7 at [1][2], one past the vocabulary of 7,", badEmbedding(7), "7", "[1][2]"),
				course.Refuses("embedding.forward", "id -1 at [1][2]", badEmbedding(-1), "-1", "[1][2]", "7"),
				course.Refuses("embedding.forward", "a weight of one dimension", course.With(badEmbedding(1), "w", course.Ones(7)), "7"))},
			{ID: "embedding.backward", Title: "the gradient agrees with PyTorch, with repeated ids, and is added", Points: 30, Run: course.Agrees("embedding.backward")},
			{ID: "embedding.backward.fresh", Title: "the gradient on fresh random cases", Points: 10, Run: course.AgreesFresh("embedding.backward", drawEmbeddingBackward)},
			{ID: "embedding.backward.bad_input", Title: "a gradient of the wrong width is refused", Points: 5,
				Run: course.All(course.Refuses("embedding.backward", "dy with 5 features where the rows have 3", badEmbeddingBackward(), "5", "3"),
					course.Misfits("embedding.backward", "dy", drawEmbeddingBackward))},
			{ID: "embedding.forward.ragged", Title: "rows of different lengths are an error", Points: 5, Run: course.All(
				course.Refuses("embedding.forward", "a first row that is shorter than the second", course.Ragged(badEmbedding(1), "ids", 3, 4), "3", "4"),
				course.Refuses("embedding.forward", "a second row that is shorter than the first", course.Ragged(badEmbedding(1), "ids", 4, 3), "3", "4"),
				course.Refuses("embedding.forward", "rows of one and of three ids after one of two", course.Ragged(badEmbedding(1), "ids", 2, 1, 3), "2"))},
			course.Again("embedding.backward.again",
				course.AskedAgain(course.Layer{Forward: "embedding.forward", Backward: "embedding.backward", Input: "ids", Draw: drawEmbeddingBackward, Bad: course.OutOfRange("ids")})),
		},
		Inside: []string{"embedding.forward.ragged", "embedding.backward.again"},
		Hints: []course.Hint{
			course.AgainHint("embedding.backward.again"),
			{For: "embedding.forward", Text: "There is nothing to multiply: y's row (b, t) is a copy of w's row ids[b][t]."},
			{For: "embedding.forward", Text: "copy(y.Row(b*T+t), w.Row(id)). Number the rows of y in the order in which you meet the ids."},
			{For: "embedding.forward.bad_input", Text: "Check every id before you copy anything, so that an error leaves no half-filled output behind. Return tensor.IndexError{Op: …, Got: id, Limit: V}, with the position in Op."},
			{For: "embedding.forward.ragged", Text: "Every row of ids is as long as the first. Compare before anything is written, and return tensor.ShapeError with both lengths."},
			{For: "embedding.backward.bad_input", Text: "dy has the shape (B, T, D) of the y that the last Forward returned: keep B and T there, and begin Backward with tensor.CheckShape of dy."},
			{For: "embedding.forward.bad_input", Text: "fmt.Sprintf(\"Embedding.Forward: ids[%d][%d]\", b, t) names the place."},
			{For: "embedding.backward", Text: "A row of w that was used three times has three outputs that depend on it. Its gradient is the sum of theirs."},
			{For: "embedding.backward", Text: "Walk over the ids as in the forward pass and add (+=, never =) dy's row to Grad's row of that id."},
			{For: "embedding.backward", Text: "for r, id := range kept ids { grad := Weight.Grad.Row(id); for i, g := range dy.Row(r) { grad[i] += g } }"},
		},
	}
}

func drawEmbedding(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 4, 3, 17)
	return wire.Values{"ids": course.IDs(rng, n[2], n[0], n[1]), "w": course.Normal(rng, 1, n[2], n[3])}
}

func drawEmbeddingBackward(rng *rand.Rand) wire.Values {
	in := drawEmbedding(rng)
	d := in["w"].Shape[1]
	in["dy"] = course.Normal(rng, 1, in["ids"].Shape[0], in["ids"].Shape[1], d)
	in["dw_before"] = course.Normal(rng, 1, in["w"].Shape...)
	return in
}

// badEmbedding has the given id at [1][2] and a vocabulary of 7.
func badEmbedding(id int64) wire.Values {
	rng := rand.New(rand.NewPCG(3, 1))
	return wire.Values{"ids": wire.Ints([]int64{0, 6, 3, 2, 5, 1, id, 4}, 2, 4), "w": course.Normal(rng, 1, 7, 3)}
}

// badEmbeddingBackward has a dy wider than the rows.
func badEmbeddingBackward() wire.Values {
	rng := rand.New(rand.NewPCG(3, 2))
	in := course.With(badEmbedding(1), "dy", course.Normal(rng, 1, 2, 4, 5))
	return course.With(in, "dw_before", course.Normal(rng, 1, 7, 3))
}

func emptyEmbedding() wire.Values {
	return course.With(badEmbedding(1), "ids", wire.Ints([]int64{}, 2, 0))
}

func withoutRows() wire.Values {
	return course.With(badEmbedding(1), "ids", wire.Ints([]int64{}, 0, 0))
}
