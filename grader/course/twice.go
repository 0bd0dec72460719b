package course

import (
	"reflect"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// otherwise asks the very same call once more, and says if the answer is another one:
// then no formula explains the first. It is empty if the answers agree, and where the
// answer is not that of the last call: some checks compare what they have made of several.
func (e *Exam) otherwise(function string, in, got wire.Values, name string) lang.Text {
	if !sameMap(e.last.in, in) || !sameMap(e.last.out, got) {
		return lang.Text{}
	}
	again, err := e.Subject.Call(e.ctx, function, in)
	if err != nil {
		return lang.Text{}
	}
	d := verdict.Compare(name, again[name], got[name], e.Tolerance(function, name))
	if d == nil {
		return lang.Text{}
	}
	if d.Kind == verdict.WrongShape {
		return lang.T("Asked the very same again, it gives another %s, of another shape: %s, and before %s. Something is kept from one call to the next, or left to chance.", name, ShapeOf(again[name]), ShapeOf(got[name]))
	}
	second, first := d.Numbers()
	return lang.T("Asked the very same again, it gives another %s: %s is %s, and before it was %s. Something is kept from one call to the next, or left to chance.", name, name+d.At(), second, first)
}

// sameMap reports whether two are one map, and not only equal.
func sameMap(a, b wire.Values) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// remembered is a call that a layer was asked and answered rightly, with all that its
// Forward and its Backward were given.
type remembered struct {
	question
	all wire.Values
}

// leftOver says what a layer that is asked again has kept from an earlier call, if its
// wrong answer shows that: the call has spoilt what it needs itself; the answer is that of
// an earlier call, or has the shape of it; or it is right with one of the arguments that
// an earlier call had.
func (e *Exam) leftOver(now remembered, got wire.Values, past []remembered) lang.Text {
	past = slices.Clone(past)
	slices.Reverse(past)
	same := func(p remembered) bool { return p.function == now.function && reflect.DeepEqual(p.in, now.in) }
	if len(past) > 0 && same(past[0]) {
		return lang.T("The very same call was answered rightly just before: the call changes something that it needs itself the next time.")
	}
	for _, p := range past {
		if p.function == now.function && e.answersAs(now, got, p.want) {
			return lang.T("This is the right answer to an earlier call.")
		}
	}
	for _, p := range past {
		for _, name := range wrongShapes(now, got) {
			if v, ok := p.want[name]; ok && len(v.Shape) > 0 && slices.Equal(v.Shape, got[name].Shape) {
				return lang.T("It has the shape that was right in an earlier call: %s.", ShapeOf(v))
			}
		}
	}
	for _, p := range past {
		if names := e.staleArguments(now, got, p); len(names) == 1 {
			return lang.T("This is what is right with the %s of an earlier call.", names[0])
		}
	}
	return lang.Text{}
}

// staleArguments are those arguments of an earlier call with which the answer of this one
// is right.
func (e *Exam) staleArguments(now remembered, got wire.Values, p remembered) []string {
	var stale []string
	for _, name := range e.names(now.function, now.all) {
		old, ok := p.all[name]
		v := now.all[name]
		if !ok || old.DType != v.DType || !slices.Equal(old.Shape, v.Shape) || reflect.DeepEqual(old, v) {
			continue
		}
		want, err := e.Solve(now.function)(With(now.all, name, old))
		if err == nil && e.answersAs(now, got, want) {
			stale = append(stale, name)
		}
	}
	return stale
}

// answersAs reports whether an answer is that of another question, whose answer is not
// that of this one.
func (e *Exam) answersAs(now remembered, got, want wire.Values) bool {
	differ := false
	for _, name := range SortedNames(now.want) {
		tolerance := e.Tolerance(now.function, name)
		if verdict.Compare(name, got[name], want[name], tolerance) != nil {
			return false
		}
		differ = differ || verdict.Compare(name, now.want[name], want[name], plainly*tolerance) != nil
	}
	return differ
}

// wrongShapes are the outputs whose shapes are wrong.
func wrongShapes(now remembered, got wire.Values) []string {
	var names []string
	for _, name := range SortedNames(now.want) {
		if v, ok := got[name]; ok && !slices.Equal(v.Shape, now.want[name].Shape) {
			names = append(names, name)
		}
	}
	return names
}
