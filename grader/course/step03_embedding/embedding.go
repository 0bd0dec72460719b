// Package embedding says how step 03 is checked; what its functions look like says
// fixtures/step03_embedding/functions.txt.
package embedding

import (
	"math"
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
				Run: course.All(course.AgreesFresh("embedding.forward", drawEmbedding), course.AgreesOn("embedding.forward", emptyEmbedding(), withoutRows()),
					course.AgreesOnce("embedding.forward", manyTokens, longBatch, wideRows, withNaN))},
			{ID: "embedding.forward.bad_input", Title: "an id outside the vocabulary is an error that names the id, its position and the vocabulary size", Points: 15, Run: course.All(
				course.Refuses("embedding.forward", "id 9 at [1][2] with a vocabulary of 7", badEmbedding(9), "9", "[1][2]", "7"),
				course.Refuses("embedding.forward", "id 7 at [1][2], one past the vocabulary of 7,", badEmbedding(7), "7", "[1][2]"),
				course.Refuses("embedding.forward", "id -1 at [1][2]", badEmbedding(-1), "-1", "[1][2]", "7"),
				course.Refuses("embedding.forward", "a weight of one dimension", course.With(badEmbedding(1), "w", course.Ones(7)), "7"))},
			{ID: "embedding.backward", Title: "the gradient agrees with PyTorch, with repeated ids, and is added", Points: 30, Run: course.Agrees("embedding.backward")},
			{ID: "embedding.backward.fresh", Title: "the gradient on fresh random cases", Points: 10, Run: course.All(course.AgreesFresh("embedding.backward", drawEmbeddingBackward),
				course.AgreesOnce("embedding.backward", manyTokens, longBatch, wideRows, withNaN))},
			{ID: "embedding.backward.bad_input", Title: "a gradient of the wrong width is refused", Points: 5,
				Run: course.All(course.Refuses("embedding.backward", "dy with 5 features where the rows have 3", badEmbeddingBackward(), "5", "3"),
					course.Misfits("embedding.backward", "dy", drawEmbeddingBackward))},
			{ID: "embedding.forward.ragged", Title: "rows of different lengths are an error", Points: 5, Run: course.All(
				course.Refuses("embedding.forward", "a first row that is shorter than the second", course.Ragged(badEmbedding(1), "ids", 3, 4), "3", "4"),
				course.Refuses("embedding.forward", "a second row that is shorter than the first", course.Ragged(badEmbedding(1), "ids", 4, 3), "3", "4"),
				course.Refuses("embedding.forward", "rows of one and of three ids after one of two", course.Ragged(badEmbedding(1), "ids", 2, 1, 3), "2"))},
			course.Again("embedding.backward.again", course.AskedAgain(layer(course.OutOfRange("ids"))), course.MadeOf(layer(nil), "w"), course.AfterRefusal(layer(lastRowShort))),
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

// layer is what is asked again and again.
func layer(bad func(wire.Values) wire.Values) course.Layer {
	return course.Layer{Forward: "embedding.forward", Backward: "embedding.backward", Input: "ids", Draw: drawEmbeddingBackward, Bad: bad}
}

// lastRowShort takes the last id away, so that the last row is shorter than the others.
func lastRowShort(in wire.Values) wire.Values {
	ids := in["ids"]
	rows, t, last := ids.Shape[0], ids.Shape[1], ids.Len()-1
	lengths := make([]int64, rows)
	for r := range lengths {
		lengths[r] = int64(t)
	}
	lengths[rows-1]--
	in = course.With(in, "ids", wire.Ints(ids.I64[:last], 1, last))
	return course.With(in, "ids_lengths", wire.Ints(lengths, rows))
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

// manyTokens has a vocabulary whose last ids are no 16-bit numbers.
func manyTokens(rng *rand.Rand) wire.Values {
	const vocab = 70_000
	return whole(rng, course.IDs(rng, vocab, 3, 4), vocab, 2, map[int]int64{0: 0, 1: 255, 4: 256, 5: 1<<15 - 1, 7: 1 << 15, 8: 1<<16 - 1, 10: 1 << 16, 11: vocab - 1})
}

// longBatch and wideRows have a sequence and rows whose lengths are no multiples of a
// block's.
func longBatch(rng *rand.Rand) wire.Values {
	return whole(rng, course.IDs(rng, 5, 3, 347), 5, 3, nil)
}

func wideRows(rng *rand.Rand) wire.Values {
	return whole(rng, course.IDs(rng, 5, 2, 3), 5, 1031, nil)
}

// whole is a call with some ids given. Its numbers are whole: their sums are exact.
func whole(rng *rand.Rand, ids wire.Value, vocab, d int, given map[int]int64) wire.Values {
	for i, id := range given {
		ids.I64[i] = id
	}
	return wire.Values{"ids": ids, "w": course.Whole(rng, vocab, d), "dy": course.Whole(rng, ids.Shape[0], ids.Shape[1], d), "dw_before": course.Whole(rng, vocab, d)}
}

// withNaN has rows of the table, and of its gradient so far, that are no numbers; no id
// names them.
func withNaN(rng *rand.Rand) wire.Values {
	in := drawEmbeddingBackward(rng)
	w, before := in["w"], in["dw_before"]
	vocab, d := w.Shape[0], w.Shape[1]
	for i := range in["ids"].I64 { // the first row and the last remain without an id
		in["ids"].I64[i] = 1 + rng.Int64N(int64(vocab-2))
	}
	for j := range d {
		w.F32[j], w.F32[(vocab-1)*d+j] = float32(math.NaN()), float32(math.Inf(1))
		before.F32[j], before.F32[(vocab-1)*d+j] = float32(math.Inf(-1)), float32(math.NaN())
	}
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
