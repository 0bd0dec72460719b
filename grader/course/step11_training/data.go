package training

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// integer returns an integer output, and false if there is none of the name.
func integer(out wire.Values, name string) (int, bool) {
	v := out[name]
	if v.DType != wire.I64 || v.Len() != 1 {
		return 0, false
	}
	return int(v.I64[0]), true
}

// numbersAre checks integer outputs of one element.
func numbersAre(e *course.Exam, function string, in, out wire.Values, want map[string]int, about lang.Text) error {
	for _, name := range course.SortedNames(out) {
		w, asked := want[name]
		if got, ok := integer(out, name); asked && (!ok || got != w) {
			return e.Fails(function, in, "%s is %v; want %d. %s", name, out[name].I64, w, about)
		}
	}
	return nil
}

func integers(n ...int) wire.Value {
	v := wire.Ints(make([]int64, len(n)), len(n))
	for i := range n {
		v.I64[i] = int64(n[i])
	}
	return v
}

// tokenFiles checks what is written, what is turned down, and what can be opened.
func tokenFiles(e *course.Exam) error {
	good := wire.Values{"tokens": integers(0, 1, 255, 256, 40000, 65535)}
	out, err := e.Ask("tokens.write", good)
	if err != nil {
		return err
	}
	about := lang.T("A file of tokens is two bytes for each, the lower one first, written to a file of its own that takes the old one's name by a rename; nothing else is left in the folder.")
	if err := numbersAre(e, "tokens.write", good, out, map[string]int{"refused": 0, "files": 1, "same_file": 0}, about); err != nil {
		return err
	}
	want := []int64{0, 0, 1, 0, 255, 0, 0, 1, 0x40, 0x9c, 255, 255}
	if !slices.Equal(out["bytes"].I64, want) {
		return e.Fails("tokens.write", good, "the file holds the bytes %v; want %v. %s", out["bytes"].I64, want, about)
	}
	for _, id := range []int{65536, -1} {
		in := wire.Values{"tokens": integers(5, id, 6)}
		out, err := e.Ask("tokens.write", in)
		if err != nil {
			return err
		}
		if refused, _ := integer(out, "refused"); refused != 1 || !strings.Contains(out["message"].Text, fmt.Sprint(id)) {
			return e.Fails("tokens.write", in, "the id %d does not fit 16 bits: want an error that names it, got %q", id, out["message"].Text)
		}
		if n, _ := integer(out, "files"); n != 1 || !slices.Equal(out["bytes"].I64, []int64{7, 0, 8, 0, 9, 0}) {
			return e.Fails("tokens.write", in, "after the error the file holds %v and the folder %d files; want the old file as it was and nothing else", out["bytes"].I64, n)
		}
	}
	opened := wire.Values{"bytes": integers(1, 0, 2, 0, 3, 1), "missing": wire.Int(0)}
	if out, err = e.Ask("tokens.open", opened); err != nil {
		return err
	}
	if err := numbersAre(e, "tokens.open", opened, out, map[string]int{"n": 3}, lang.T("Len is the number of tokens.")); err != nil {
		return err
	}
	return course.All(course.Refuses("tokens.open", "a file with an odd number of bytes", course.With(opened, "bytes", integers(1, 0, 2)), "text.bin"),
		course.Refuses("tokens.open", "a file that is not there", course.With(opened, "missing", wire.Int(1)), "text.bin"))(e)
}

// windows draws batches from a text in which every token occurs once, so that a
// window tells where it begins, and returns where each one does.
func windows(e *course.Exam, in wire.Values) (starts []int, err error) {
	out, err := e.Ask("batch.draw", in)
	if err != nil {
		return nil, err
	}
	tokens, context := in["tokens"].I64, int(in["context"].I64[0])
	ids, targets := out["ids"], out["targets"]
	if n := int(in["draws"].I64[0]*in["batch"].I64[0]) * context; ids.DType != wire.I64 || ids.Len() != n || targets.DType != wire.I64 || targets.Len() != n {
		return nil, e.Fails("batch.draw", in, "ids is %s and targets is %s; want %d batches of (B, T)", ids, targets, in["draws"].I64[0])
	}
	for row := 0; row < ids.Len(); row += context {
		x, y := ids.I64[row:row+context], targets.I64[row:row+context]
		start := slices.Index(tokens, x[0])
		if start > 0 {
			markTargets(e, tokens, x, y)
		}
		switch {
		case start < 0 || start+context+1 > len(tokens):
			return nil, e.Fails("batch.draw", in, "a sequence begins with %d at place %d of %d tokens, where no window of %d + 1 fits", x[0], start, len(tokens), context)
		case !slices.Equal(x, tokens[start:start+context]):
			return nil, e.Fails("batch.draw", in, "ids are %v; want %d neighbours of the text: %v", x, context, tokens[start:start+context])
		case !slices.Equal(y, tokens[start+1:start+context+1]):
			return nil, e.Fails("batch.draw", in, "ids are %v and targets %v; want as target of each token the one after it: %v", x, y, tokens[start+1:start+context+1])
		}
		starts = append(starts, start)
	}
	return starts, nil
}

// text returns the arguments for batches from a text of n different tokens.
func text(n, batch, context, draws, seed int) wire.Values {
	tokens := wire.Ints(make([]int64, n), n)
	for i := range tokens.I64 {
		tokens.I64[i] = int64(65535 - 211*i)
	}
	return wire.Values{"tokens": tokens, "batch": wire.Int(batch), "context": wire.Int(context), "draws": wire.Int(draws), "seed": wire.Int(seed)}
}

// batchWindows checks that batches are windows, and come from the generator.
func batchWindows(e *course.Exam) error {
	in := text(course.Between(e.Rng, 150, 300), 5, 7, 6, int(e.Rng.Int32()))
	first, err := windows(e, in)
	if err != nil {
		return err
	}
	again, err := windows(e, in)
	if err != nil {
		return err
	}
	other, err := windows(e, course.With(in, "seed", wire.Int(int(in["seed"].I64[0])+1)))
	if err != nil {
		return err
	}
	inBatches := slices.Collect(slices.Chunk(first, 5))
	apart := slices.ContainsFunc(inBatches, func(b []int) bool { return slices.Min(b) != slices.Max(b) })
	e.MarkFlag("the generator that is given", slices.Equal(first, again))
	e.MarkFlag("a place for each sequence", apart)
	switch {
	case !slices.Equal(first, again):
		return e.Fails("batch.draw", in, "two generators with the same seed gave other batches: draw from the generator that is given, and from no other")
	case slices.Equal(first, other):
		return e.Fails("batch.draw", in, "another seed gave the same batches: draw from the generator that is given")
	case slices.Equal(inBatches[0], inBatches[1]) && slices.Equal(inBatches[1], inBatches[2]):
		return e.Fails("batch.draw", in, "every batch is the same")
	case !apart:
		return e.Fails("batch.draw", in, "all sequences of a batch begin at the same place; draw one for each")
	}
	return nil
}

// batchStarts counts where the windows of a short text begin, and how often two that
// are drawn soon after each other are the same, there and in a text with two windows. Each
// of the numbers is within six standard deviations of its mean.
func batchStarts(e *course.Exam) error {
	const n, context, batch, draws = 14, 4, 4, 500
	in := text(n, batch, context, draws, int(e.Rng.Int32()))
	starts, err := windows(e, in)
	if err != nil {
		return err
	}
	const places = n - context
	counts := make([]int, places)
	for _, s := range starts {
		counts[s]++
	}
	markPlaces(e, counts)
	mean := float64(batch*draws) / places
	for place, count := range counts {
		if math.Abs(float64(count)-mean) > 6*math.Sqrt(mean) {
			return e.Fails("batch.draw", in, "of %d windows %d begin at place %d; want about %.0f at each of the places 0 to %d, of which the last lets token %d be a target",
				batch*draws, count, place, mean, places-1, n-1)
		}
	}
	if err := alikeByChance(e, in, starts, places); err != nil {
		return err
	}
	two := text(context+2, batch, context, draws, int(e.Rng.Int32()))
	if starts, err = windows(e, two); err != nil {
		return err
	}
	if err := alikeByChance(e, two, starts, 2); err != nil {
		return err
	}
	if _, err := windows(e, text(context+1, 1, context, 3, 1)); err != nil { // the only window there is, one sequence at a time
		return err
	}
	long := course.Refuses("batch.draw", "a text of 23 tokens, without room for a sequence of 500", text(23, 2, 500, 1, 1), "23", "500|501") // 501 with its target
	if err := long(e); err != nil {
		return err
	}
	return course.Refuses("batch.draw", "a text of 4 tokens, without room for a sequence of 4 and the token after it", text(4, 2, context, 1, 1), "4")(e)
}

// alikeByChance counts how often two windows are the same that are drawn one after the
// other, with one in between and so on, up to the same row of the next batch: each time by
// a chance of one in places, whatever came before.
func alikeByChance(e *course.Exam, in wire.Values, starts []int, places int) error {
	for apart := 1; apart <= int(in["batch"].I64[0]); apart++ {
		alike, pairs := 0, len(starts)-apart
		for i := range pairs {
			if starts[i] == starts[i+apart] {
				alike++
			}
		}
		chance := 1 / float64(places)
		mean := float64(pairs) * chance
		if math.Abs(float64(alike)-mean) > 6*math.Sqrt(mean*(1-chance)) {
			return e.Fails("batch.draw", in, "in a text with %d windows, %d of %d pairs that are drawn %d apart are the same window; want about %.0f: draw every window from all places, whatever was drawn before it",
				places, alike, pairs, apart, mean)
		}
	}
	return nil
}

// markTargets notes where the targets of a window stand in the text, as
// distances from the place of the token before: 1 where they are right.
func markTargets(e *course.Exam, tokens, ids, targets []int64) {
	got, want := wire.Floats(nil, len(ids)), wire.Floats(nil, len(ids))
	for i := range ids {
		got.F64 = append(got.F64, float64(slices.Index(tokens, targets[i])-slices.Index(tokens, ids[i])))
		want.F64 = append(want.F64, 1)
	}
	e.Mark(e.Check+"/targets after ids", got, want, 1e-3)
}

// markPlaces notes at which places windows were seen to begin.
func markPlaces(e *course.Exam, counts []int) {
	got, want := wire.Floats(nil, len(counts)), wire.Floats(nil, len(counts))
	for _, count := range counts {
		got.F64 = append(got.F64, float64(1+min(count, 1)))
		want.F64 = append(want.F64, 2)
	}
	e.Mark(e.Check+"/places where windows begin", got, want, 1e-3)
}
