package training

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// someState draws a state of a training run, with all the numbers that a file
// may lose: −0, the smallest, the largest, infinities and NaN.
func someState(rng *rand.Rand) wire.Values {
	in := wire.Values{"rope_theta": wire.Float(10000 * (1 + rng.Float64())), "step": wire.Int(1000 + rng.IntN(1_000_000)), "seed": wire.Int(int(rng.Int32()))}
	for _, group := range []string{"params/", "m/", "v/"} {
		in[group+"token_embeddings.weight"] = course.Normal(rng, 1, 7, 4)
		in[group+"layers.0.ln1.weight"] = course.Normal(rng, 1, 4)
		in[group+"lm_head.weight"] = course.Normal(rng, 1, 201, 211)
		copy(in[group+"layers.0.ln1.weight"].F32, []float32{float32(math.Copysign(0, -1)), 1e-45, -math.MaxFloat32, float32(math.Inf(1))})
		in[group+"token_embeddings.weight"].F32[5] = float32(math.NaN())
	}
	return in
}

// emptyState draws a state without any number in its tensors, of which some have
// a size of 0 in their shape.
func emptyState(rng *rand.Rand) wire.Values {
	in := someState(rng)
	maps.DeleteFunc(in, func(name string, _ wire.Value) bool { return strings.Contains(name, "/") })
	in["params/lm_head.weight"], in["m/lm_head.weight"] = wire.Float32s([]float32{}, 0, 3), wire.Float32s([]float32{}, 5, 0)
	return in
}

// checkpointReturns checks that a state comes back from its file bit for bit,
// and an empty one too.
func checkpointReturns(e *course.Exam) error {
	if err := stateReturns(e, someState(e.Rng), true); err != nil {
		return err
	}
	return stateReturns(e, emptyState(e.Rng), false)
}

func stateReturns(e *course.Exam, in wire.Values, marked bool) error {
	out, err := e.Ask("checkpoint.roundtrip", in)
	if err != nil {
		return err
	}
	generator := rand.NewPCG(uint64(in["seed"].I64[0]), 11)
	draws := []int64{int64(generator.Uint64()), int64(generator.Uint64()), int64(generator.Uint64())}
	if marked {
		markState(e, in, out, draws)
	}
	for _, name := range course.SortedNames(in) {
		got, want := out[name], in[name]
		if want.DType == wire.F32 {
			if got.DType != wire.F32 || !slices.Equal(got.Shape, want.Shape) {
				return e.Fails("checkpoint.roundtrip", in, "%s came back as %s; want %s", name, got, want)
			}
			for i, x := range want.F32 {
				if math.Float32bits(got.F32[i]) != math.Float32bits(x) {
					return e.Fails("checkpoint.roundtrip", in, "element %d of %s was %v and came back as %v", i, name, x, got.F32[i])
				}
			}
		}
	}
	for name := range out {
		if _, ok := in[name]; !ok && strings.Contains(name, "/") {
			return e.Fails("checkpoint.roundtrip", in, "%s came back, but was not saved", name)
		}
	}
	if !slices.Equal(out["draws"].I64, draws) {
		return e.Fails("checkpoint.roundtrip", in, "the random generator goes on with %v; want %v", out["draws"].I64, draws)
	}
	if theta := out["rope_theta"]; theta.Len() != 1 || theta.DType != wire.F64 || theta.F64[0] != in["rope_theta"].F64[0] {
		return e.Fails("checkpoint.roundtrip", in, "the configuration's rope_theta came back as %v; want %v", theta.F64, in["rope_theta"].F64)
	}
	return numbersAre(e, "checkpoint.roundtrip", in, out, map[string]int{"step": int(in["step"].I64[0]), "d_model": 4}, lang.T("It is part of the state."))
}

// damagedRefused checks that a file is loaded only if it is whole and sound.
func damagedRefused(e *course.Exam) error {
	file := func(content string) wire.Values { return wire.Values{"content": wire.String(content)} }
	text, missing := file("This is not a checkpoint.\n"), course.With(file(""), "missing", wire.Int(1))
	foreign := course.All(noState(text), noState(missing),
		course.Refuses("checkpoint.load", "an empty file", file("")),
		course.Refuses("checkpoint.load", "a text file", text),
		course.Refuses("checkpoint.load", "a JSON file", file("{}\n")),
		course.Refuses("checkpoint.load", "a long file of another kind", file("PK\x03\x04"+strings.Repeat("stubformer\x00\x01", 700))),
		course.Refuses("checkpoint.load", "a file that is not there", missing))
	if err := foreign(e); err != nil {
		return err
	}
	in := someState(e.Rng)
	in["keep"], in["flip"], in["bits"] = integers(), integers(), integers()
	out, err := e.Ask("checkpoint.damaged", in)
	if err != nil {
		return err
	}
	size, ok := integer(out, "size")
	if !ok || size < 1000 {
		return e.Fails("checkpoint.damaged", in, "the checkpoint has %v bytes, too few for its numbers", out["size"].I64)
	}
	var keep, flip []int
	for _, at := range slices.Concat([]int{0, 1, 7, size / 2, size - 33, size - 32, size - 4, size - 1}, course.Distinct(e.Rng, 8, 1, size-1),
		[]int{size + 1, size + 8, size + 32, size + 64, 2 * size}) {
		keep, flip = append(keep, at), append(flip, -1)
	}
	for _, at := range slices.Concat([]int{0, 3, 8, 12, 16, 24, size / 2, size - 32, size - 1}, course.Distinct(e.Rng, 12, 0, 400), course.Distinct(e.Rng, 12, 0, size-1)) {
		keep, flip = append(keep, -1), append(flip, at)
	}
	in["keep"], in["flip"] = integers(append(keep, -1)...), integers(append(flip, -1)...) // the last one is sound
	in["bits"] = integers(slices.Repeat([]int{1}, len(keep)+1)...)
	if out, err = e.Ask("checkpoint.damaged", in); err != nil {
		return err
	}
	refused := out["refused"]
	if refused.DType != wire.I64 || refused.Len() != len(keep)+1 {
		return e.Fails("checkpoint.damaged", in, "refused is %s; want %d numbers", refused, len(keep)+1)
	}
	for i := range keep {
		switch {
		case refused.I64[i] == 1:
		case refused.I64[i] == 2:
			return e.Fails("checkpoint.damaged", in, "Load returned a state beside the error of a checkpoint that is not whole and sound; return nil and the error")
		case keep[i] > size:
			return e.Fails("checkpoint.damaged", in, "a checkpoint of %d bytes that was made longer, to %d bytes, was loaded as if it were sound", size, keep[i])
		case keep[i] >= 0:
			return e.Fails("checkpoint.damaged", in, "a checkpoint of %d bytes of which only the first %d are there was loaded as if it were whole", size, keep[i])
		default:
			return e.Fails("checkpoint.damaged", in, "a checkpoint of %d bytes was loaded with a wrong bit in byte %d; a checksum finds that", size, flip[i])
		}
	}
	if refused.I64[len(keep)] != 0 {
		return e.Fails("checkpoint.damaged", in, "a sound checkpoint was turned down")
	}
	messages := strings.Split(strings.Map(withoutDigits, out["messages"].Text), "\n")
	cut, damaged := slices.Index(keep, size/2), slices.Index(flip, size/2)
	if len(messages) != len(keep)+1 {
		return e.Fails("checkpoint.damaged", in, "messages has %d lines; want %d, one for each version of the file", len(messages), len(keep)+1)
	}
	if messages[cut] == messages[damaged] {
		return e.Fails("checkpoint.damaged", in, "a checkpoint of which half is missing and one with a wrong bit get the same message: %q; say which of the two it is", messages[cut])
	}
	return everyByteCounts(e)
}

// everyByteCounts damages every byte of a small checkpoint in turn, so that a
// digit in it becomes a sign, a shape without any number one of 600 million, and where
// it begins a length huge. Whatever the file holds, Load does not panic and takes no
// memory beyond the size of the file.
func everyByteCounts(e *course.Exam) error {
	const hugeLength, digitToMinus, noneToMany, start = 0x80, '2' ^ '-', '0' ^ '9', 64
	in := emptyState(e.Rng)
	in["m/lm_head.weight"] = wire.Float32s([]float32{}, 0, 66_666_666)
	in["params/lm_head.weight"] = course.Normal(e.Rng, 1, 2, 21)
	in["keep"], in["flip"], in["bits"] = integers(), integers(), integers()
	out, err := e.Ask("checkpoint.damaged", in)
	if err != nil {
		return err
	}
	size, _ := integer(out, "size")
	var flip, bits []int
	for at := range size {
		flip, bits = append(flip, at, at), append(bits, digitToMinus, noneToMany)
		if at < start {
			flip, bits = append(flip, at), append(bits, hugeLength)
		}
	}
	in["keep"], in["flip"], in["bits"] = integers(slices.Repeat([]int{-1}, len(flip))...), integers(flip...), integers(bits...)
	if out, err = e.Ask("checkpoint.damaged", in); err != nil {
		return err
	}
	refused := out["refused"]
	if refused.DType != wire.I64 || refused.Len() != len(flip) {
		return e.Fails("checkpoint.damaged", in, "refused is %s; want %d numbers", refused, len(flip))
	}
	if i := slices.Index(refused.I64, 0); i >= 0 {
		return e.Fails("checkpoint.damaged", in, "a checkpoint of %d bytes was loaded with a wrong bit in byte %d; a checksum finds that", size, flip[i])
	}
	return nil
}

// noState checks that neither Load nor Resume makes a state of a file that must be
// refused, and that none comes beside the error.
func noState(file wire.Values) func(*course.Exam) error {
	return func(e *course.Exam) error {
		out, err := e.Call("checkpoint.load", file)
		if told, _ := integer(out, "state_with_error"); err == nil && told == 1 {
			return e.Fails("checkpoint.load", file, "Load returned a state beside its error; return nil and the error")
		}
		if told, _ := integer(out, "resumed"); err == nil && told == 1 {
			return e.Fails("checkpoint.load", file, "Load refused the file, but Resume returned no error")
		}
		return nil // whether it is refused is asked elsewhere
	}
}

func withoutDigits(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// checkpointReplaced checks how a new checkpoint takes the place of an old one.
func checkpointReplaced(e *course.Exam) error {
	in := someState(e.Rng)
	out, err := e.Ask("checkpoint.replace", in)
	if err != nil {
		return err
	}
	step := int(in["step"].I64[0])
	if failed, _ := integer(out, "failed"); failed == 0 {
		step++ // a Save that is offered NaN as rope_theta may also succeed
	}
	for _, want := range []struct {
		name  string
		value int
		about lang.Text
	}{
		{"same_file", 0, lang.T("The second checkpoint was written into the first one's file. If the program were killed meanwhile, both would be lost: write another file and rename it.")},
		{"full_failed", 1, lang.T("Save on a disk that is full must return an error: a write that could not be made whole is one.")},
		{"step", step + 1, lang.T("It is the step of the checkpoint that is there after a Save that may fail, because rope_theta is NaN, and one that must, because the disk is full: that of the last Save that did not fail.")},
		{"nowhere_failed", 1, lang.T("Save into a folder that does not exist must return an error.")},
		{"files", 1, lang.T("Nothing but the checkpoint may be left in its folder.")},
	} {
		if err := numbersAre(e, "checkpoint.replace", in, out, map[string]int{want.name: want.value}, want.about); err != nil {
			return err
		}
	}
	return nil
}

// markState notes which parts of a state came back from its checkpoint.
func markState(e *course.Exam, in, out wire.Values, draws []int64) {
	for _, group := range []string{"params/", "m/", "v/"} {
		names := slices.DeleteFunc(slices.Collect(maps.Keys(in)), func(name string) bool { return !strings.HasPrefix(name, group) })
		e.MarkFlag(group, !slices.ContainsFunc(names, func(name string) bool { return !slices.EqualFunc(in[name].F32, out[name].F32, course.SameBits) }))
	}
	e.MarkFlag("step", slices.Equal(in["step"].I64, out["step"].I64))
	e.MarkFlag("rope_theta", slices.Equal(in["rope_theta"].F64, out["rope_theta"].F64))
	e.MarkFlag("draws", slices.Equal(draws, out["draws"].I64))
}
