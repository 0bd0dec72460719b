package course

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/probe/wire"
)

// markTargets notes where the targets of a window stand in the text, as
// distances from the place of the token before: 1 where they are right.
func (e *Exam) markTargets(tokens, ids, targets []int64) {
	got, want := wire.Floats(nil, len(ids)), wire.Floats(nil, len(ids))
	for i := range ids {
		got.F64 = append(got.F64, float64(slices.Index(tokens, targets[i])-slices.Index(tokens, ids[i])))
		want.F64 = append(want.F64, 1)
	}
	e.mark(e.check+"/targets after ids", got, want, 1e-3)
}

// markPlaces notes at which places windows were seen to begin.
func (e *Exam) markPlaces(counts []int) {
	got, want := wire.Floats(nil, len(counts)), wire.Floats(nil, len(counts))
	for _, count := range counts {
		got.F64 = append(got.F64, float64(1+min(count, 1)))
		want.F64 = append(want.F64, 2)
	}
	e.mark(e.check+"/places where windows begin", got, want, 1e-3)
}

// markLoop notes at which rates the run of loopReports makes its updates, and
// when it saves.
func (e *Exam) markLoop(out wire.Values) {
	rates := wire.Floats(make([]float64, 13), 13)
	for i := range rates.F64 {
		rates.F64[i] = rate(i+1, 0.01, 0.002, 4, 13)
	}
	e.mark(e.check+"/lr", out["lr"], rates, 1e-7)
	e.mark(e.check+"/saved", out["saved"], integers(0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10, 13), 1e-7)
}

// markResumed notes what a run that was cut after an update and resumed has in
// common with an unbroken one. The loss of the first update after the cut needs
// the right parameters and the right batch, and no means.
func (e *Exam) markResumed(unbroken, resumed wire.Values, cut int) {
	a, b, steps := unbroken["losses"].F64, resumed["losses"].F64, resumed["steps"].I64
	if min(len(a), len(b), len(steps)) <= cut {
		return
	}
	e.markFlag("the update after the cut", steps[cut] == int64(cut)+1)
	e.markFlag("the loss after the cut", a[cut] == b[cut])
	e.markFlag("the losses later", slices.Equal(a[cut+1:], b[cut+1:]))
	e.markFlag("the last update", slices.Equal(unbroken["steps"].I64, steps))
}

// markState notes which parts of a state came back from its checkpoint.
func (e *Exam) markState(in, out wire.Values, draws []int64) {
	for _, group := range []string{"params/", "m/", "v/"} {
		names := slices.DeleteFunc(slices.Collect(maps.Keys(in)), func(name string) bool { return !strings.HasPrefix(name, group) })
		e.markFlag(group, !slices.ContainsFunc(names, func(name string) bool { return !slices.EqualFunc(in[name].F32, out[name].F32, sameBits) }))
	}
	e.markFlag("step", slices.Equal(in["step"].I64, out["step"].I64))
	e.markFlag("rope_theta", slices.Equal(in["rope_theta"].F64, out["rope_theta"].F64))
	e.markFlag("draws", slices.Equal(draws, out["draws"].I64))
}

func sameBits(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
