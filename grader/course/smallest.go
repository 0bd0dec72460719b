package course

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// tries is how many calls the search for a small one is worth,
	tries = 600
	// and patience how long it may take: it is a help, and part of no verdict.
	patience = 1500 * time.Millisecond
	// handy is how many numbers a person follows with a pencil.
	handy = 30
	// plain is by how many tolerances a small call is wrong, so that no rounding is told as
	// a mistake.
	plain = 10
)

// Smallest looks for the smallest and roundest call that is still wrong in the way in which
// the call of a failure is: in the same result and in the same manner, or with the same
// panic. It is nil where nothing small enough is found, the answer is kept back, or
// the failure is not about one call that stands for itself. Every call is put to the subject
// as those of a check are, and nothing that it answers is marked.
func (e *Exam) Smallest(ctx context.Context, f *verdict.Failure) *verdict.Small {
	declared := e.Step.Function(f.Function)
	if declared == nil || f.Input == nil || !aloneWrong(f) {
		return nil
	}
	var cancel context.CancelFunc
	e.ctx, cancel = context.WithTimeout(ctx, patience)
	defer cancel()
	e.called = nil // no check is running
	s := &search{e: e, f: f, declared: declared, left: tries}
	if !s.fits(f.Input) || !s.accept(f.Input) {
		return nil
	}
	for s.round() {
	}
	return s.found()
}

// aloneWrong reports whether a failure is about what one call has answered.
func aloneWrong(f *verdict.Failure) bool {
	switch f.Kind {
	case verdict.WrongValues, verdict.NotFinite, verdict.WrongShape:
		return f.Diff != nil
	case verdict.Panic, verdict.TurnedDown:
		return true
	}
	return false
}

// search is one for a small call.
type search struct {
	e        *Exam
	f        *verdict.Failure
	declared *fixtures.Function
	left     int

	in, want wire.Values // the smallest call so far, and what it should answer
	got      wire.Values // nil if it does not return
	ended    *verdict.Failure
}

// fits reports whether a call is of the kind that can be made smaller: of declared
// arrays alone, and of one layer that nobody has asked before.
func (s *search) fits(in wire.Values) bool {
	for name, v := range in {
		if a := s.declared.Arg(name); a == nil || a.Placeholder() || v.Len() == 0 {
			return false
		}
	}
	return true
}

// round makes the call smaller in every way that is known, and reports whether one of them
// has led anywhere.
func (s *search) round() bool {
	before := s.in
	s.fewer()
	s.rounder()
	return !same(before, s.in) && s.left > 0 && s.e.ctx.Err() == nil
}

// try puts a call to the subject, and takes it if it is wrong in the same way.
func (s *search) try(in wire.Values) bool {
	if s.left--; s.left < 0 || s.e.ctx.Err() != nil || same(in, s.in) {
		return false
	}
	if _, err := s.declared.Sizes(in); err != nil {
		return false
	}
	return s.accept(in)
}

// accept is try without a look at sizes and patience.
func (s *search) accept(in wire.Values) bool {
	want, err := s.solve(in)
	if err != nil || !tame(want) {
		return false
	}
	got, err := s.e.Ask(s.declared.Name, in)
	ended, ok := s.alike(got, want, err)
	if !ok || !s.clear(in, want) {
		return false
	}
	s.in, s.want, s.got, s.ended = in, want, got, ended
	return true
}

// solve is the right answer. What is no input at all may be anything here.
func (s *search) solve(in wire.Values) (want wire.Values, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("there is no answer: %v", p)
		}
	}()
	return s.e.Solve(s.declared.Name)(in)
}

// alike reports whether an answer is wrong as that of the failure is. A call that has not
// returned comes back as how it ended.
func (s *search) alike(got, want wire.Values, err error) (*verdict.Failure, bool) {
	var ended *verdict.Failure
	if errors.As(err, &ended) {
		return ended, ended.Kind == s.f.Kind && alikeWords(ended, s.f)
	}
	d := s.f.Diff
	if err != nil || d == nil || got[wire.Second+d.Name].DType != "" {
		return nil, false
	}
	other := verdict.Compare(d.Name, got[d.Name], want[d.Name], plain*s.tolerance(d.Name))
	return nil, other != nil && other.Kind == d.Kind && (d.Kind != verdict.NotFinite || (other.NaN > 0) == (d.NaN > 0))
}

// tolerance is what a result may be off.
func (s *search) tolerance(output string) float64 { return s.e.Tolerance(s.declared.Name, output) }

// alikeWords reports whether two calls ended with the same words, but for numbers, at the
// same place.
func alikeWords(a, b *verdict.Failure) bool {
	words := func(f *verdict.Failure) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, f.Message.String())
	}
	place := func(f *verdict.Failure) string { first, _, _ := strings.Cut(f.Detail, "\n"); return first }
	return words(a) == words(b) && place(a) == place(b)
}

// clear reports whether rounding has no say in the answer.
func (s *search) clear(in, want wire.Values) bool {
	if s.f.Diff == nil {
		return true
	}
	well, err := s.e.settled(Drawing{Function: s.declared.Name}).withstands(in, want, []string{s.f.Diff.Name})
	return err == nil && well
}

// fewer cuts sizes: to one, two or three entries at an end, and then leaves out what it can.
// A number that says how many there are may have to come along.
func (s *search) fewer() {
	for _, letter := range s.letters() {
		for _, n := range []int{1, 2, 3} {
			if size := s.sizes()[letter]; n < size && (s.keep(letter, run(0, n)) || s.keep(letter, run(size-n, size))) {
				break
			}
		}
		s.without(letter)
	}
	s.try(s.bare())
	for _, name := range s.args(wire.I64, true) {
		for _, n := range []int64{0, 1, 2, 3} {
			if n < s.in[name].I64[0] && s.counted(name, int(n)) {
				break
			}
		}
	}
}

// without leaves out entries of a dimension: halves, quarters, and at last single ones.
func (s *search) without(letter string) {
	for piece := s.sizes()[letter] / 2; piece > 0 && s.sizes()[letter] > 1; piece /= 2 {
		for at := 0; at < s.sizes()[letter]; {
			size := s.sizes()[letter]
			rest := slices.Concat(run(0, at), run(min(at+piece, size), size))
			if len(rest) == 0 || !s.keep(letter, rest) {
				at += piece
			}
		}
	}
}

// run are the numbers from one up to another.
func run(from, to int) (numbers []int) {
	for i := from; i < to; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}

// keep tries a call with some entries of a dimension. Where another size is a multiple of its
// size, as heads times their width, the rows of the entries may have to come along.
func (s *search) keep(letter string, entries []int) bool {
	old := s.sizes()[letter]
	alone := map[string][]int{letter: entries}
	together := maps.Clone(alone)
	for other, size := range s.sizes() {
		if other == letter || size%old != 0 {
			continue
		}
		for _, e := range entries {
			together[other] = append(together[other], run(e*(size/old), (e+1)*(size/old))...)
		}
	}
	return s.try(s.resized(s.in, alone)) || len(together) > 1 && s.try(s.resized(s.in, together))
}

// counted tries a call with n in the place of a number, and of the sizes that are that number.
func (s *search) counted(name string, n int) bool {
	old, alike := int(s.in[name].I64[0]), map[string][]int{}
	for letter, size := range s.sizes() {
		if size == old && n > 0 {
			alike[letter] = run(0, n)
		}
	}
	fewer := With(s.in, name, wire.Int(n))
	return s.try(fewer) || len(alike) > 0 && s.try(s.resized(fewer, alike))
}

// sizes are those of the letters, with those of leading dimensions.
func (s *search) sizes() fixtures.Sizes {
	sizes, _ := s.declared.Sizes(s.in) // it was tried before
	named := fixtures.Sizes{}
	for name, size := range sizes {
		if !strings.HasPrefix(name, "…") || strings.HasSuffix(name, "]") {
			named[name] = size
		}
	}
	return named
}

// letters are the names of the sizes that can be cut, the largest first.
func (s *search) letters() []string {
	sizes := s.sizes()
	return slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		if d := sizes[b] - sizes[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// args are the arguments of a type, scalars or arrays, in the order of the contract.
func (s *search) args(dtype wire.DType, scalar bool) (names []string) {
	for _, a := range s.declared.In {
		if v, ok := s.in[a.Name]; ok && v.DType == dtype && (len(v.Shape) == 0) == scalar {
			names = append(names, a.Name)
		}
	}
	return names
}

// resized keeps some entries of dimensions, in every array that has them.
func (s *search) resized(in wire.Values, entries map[string][]int) wire.Values {
	sizes, _ := s.declared.Sizes(s.in)
	cut := maps.Clone(in)
	for _, a := range s.declared.In {
		v, ok := in[a.Name]
		if !ok || len(v.Shape) == 0 || v.DType == wire.Text {
			continue
		}
		shape := slices.Clone(v.Shape)
		if t := in["trans_"+a.Name]; len(t.I64) == 1 && t.I64[0] == 1 {
			slices.Reverse(shape)
		}
		axes := sizes.Axes(a.Shape, shape)
		if len(axes) == len(v.Shape) && !slices.Equal(shape, v.Shape) {
			slices.Reverse(axes)
		}
		for i, letter := range axes {
			if keep, ok := entries[letter]; ok {
				v = some(v, i, keep)
			}
		}
		cut[a.Name] = v
	}
	return cut
}

// bare is the call without leading dimensions, where each of them is 1.
func (s *search) bare() wire.Values {
	sizes, _ := s.declared.Sizes(s.in)
	bare := maps.Clone(s.in)
	for _, a := range s.declared.In {
		v := s.in[a.Name]
		axes := sizes.Axes(a.Shape, v.Shape)
		var shape []int
		for i, letter := range axes {
			if !strings.HasPrefix(letter, "…") || v.Shape[i] != 1 {
				shape = append(shape, v.Shape[i])
			}
		}
		if axes != nil {
			v.Shape = shape
			bare[a.Name] = v
		}
	}
	return bare
}

// some keeps some entries of an axis.
func some(v wire.Value, axis int, entries []int) wire.Value {
	out := wire.Value{DType: v.DType, Shape: slices.Clone(v.Shape)}
	out.Shape[axis] = len(entries)
	inner := 1
	for _, d := range v.Shape[axis+1:] {
		inner *= d
	}
	for block := 0; block < v.Len(); block += v.Shape[axis] * inner {
		for _, e := range entries {
			switch from, to := block+e*inner, block+(e+1)*inner; v.DType {
			case wire.F32:
				out.F32 = append(out.F32, v.F32[from:to]...)
			case wire.F64:
				out.F64 = append(out.F64, v.F64[from:to]...)
			case wire.I64:
				out.I64 = append(out.I64, v.I64[from:to]...)
			case wire.Bool:
				out.Bool = append(out.Bool, v.Bool[from:to]...)
			}
		}
	}
	return out
}

// rounder makes numbers round: whole arrays at first, and then one number after another.
func (s *search) rounder() {
	for _, name := range s.args(wire.I64, false) {
		s.replace(name, func(v *wire.Value, i int) { v.I64[i] = 0 })
		s.replace(name, func(v *wire.Value, i int) { v.I64[i] = int64(i) })
		s.replace(name, func(v *wire.Value, i int) { v.I64[i] %= 2 })
	}
	for _, name := range s.args(wire.Bool, false) {
		s.replace(name, func(v *wire.Value, i int) { v.Bool[i] = true })
	}
	for _, to := range []func(x float64) float64{
		func(float64) float64 { return 0 },
		func(float64) float64 { return 1 },
		func(float64) float64 { return 2 },
		func(x float64) float64 { return max(-3, min(3, math.RoundToEven(x))) },
		func(x float64) float64 { return math.RoundToEven(2*x) / 2 },
		digit,
	} {
		for _, name := range s.args(wire.F32, false) {
			s.round32(name, to)
		}
	}
}

// round32 rounds the numbers of an array, all of them or else those that can be.
func (s *search) round32(name string, to func(x float64) float64) {
	rounded := func(x float32) float32 {
		if simple := float32(to(float64(x))); roundness(simple) < roundness(x) {
			return simple
		}
		return x
	}
	if s.replace(name, func(v *wire.Value, i int) { v.F32[i] = rounded(v.F32[i]) }) || s.in[name].Len() > handy {
		return
	}
	for at, x := range s.in[name].F32 {
		if rounded(x) != x {
			s.replace(name, func(v *wire.Value, i int) {
				if i == at {
					v.F32[i] = rounded(x)
				}
			})
		}
	}
}

// digit keeps one decimal digit of a number.
func digit(x float64) float64 {
	one, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 0, 64), 64)
	if err != nil {
		return x
	}
	return one
}

// roundness is how far a number is from 0, the roundest.
func roundness(x float32) int {
	switch y := float64(x); {
	case x == 0:
		return 0
	case x == 1:
		return 1
	case x == 2:
		return 2
	case y == math.Trunc(y) && x >= -3 && x <= 3:
		return 3
	case 2*y == math.Trunc(2*y) && x >= -3 && x <= 3:
		return 4
	case x == float32(digit(y)):
		return 5
	}
	return 6
}

// replace tries a call with other numbers in an array.
func (s *search) replace(name string, with func(v *wire.Value, i int)) bool {
	v := wire.Values{name: s.in[name]}.Clone()[name]
	for i := range v.Len() {
		with(&v, i)
	}
	return s.try(With(s.in, name, v))
}

// found is the call that was reached, nil if it is too large to be followed.
func (s *search) found() *verdict.Small {
	small := &verdict.Small{Function: s.declared.Name, Input: s.in}
	for _, a := range s.declared.In {
		v, given := s.in[a.Name]
		if given && !(strings.HasSuffix(a.Name, "_before") && zero(v)) {
			small.In = append(small.In, verdict.Array{Name: a.Name, Value: asText(a, v)})
		}
	}
	small.Output = s.declared.Out[0].Name
	if s.f.Diff != nil {
		small.Output = s.f.Diff.Name
	}
	small.Got, small.Want = s.got[small.Output], s.want[small.Output]
	if s.ended != nil {
		small.Ended = s.ended.Kind
	}
	if small.Numbers() > handy {
		return nil
	}
	return small
}

// asText is an argument as one reads it: bytes are a text.
func asText(a fixtures.Arg, v wire.Value) wire.Value {
	if v.DType != wire.I64 || len(v.Shape) != 1 || !strings.HasPrefix(a.About, "bytes") {
		return v
	}
	text := make([]byte, v.Len())
	for i, b := range v.I64 {
		if b < 0 || b > 255 {
			return v
		}
		text[i] = byte(b)
	}
	if !utf8.Valid(text) {
		return v
	}
	return wire.String(string(text))
}

// zero reports whether an array holds nothing but zeros.
func zero(v wire.Value) bool {
	return !slices.ContainsFunc(verdict.Numbers(v), func(x float64) bool { return x != 0 })
}

// tame reports whether an answer is made of numbers.
func tame(want wire.Values) bool {
	for _, v := range want {
		if slices.ContainsFunc(verdict.Numbers(v), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
			return false
		}
	}
	return true
}

// same reports whether two calls are the same.
func same(a, b wire.Values) bool {
	return maps.EqualFunc(a, b, func(v, w wire.Value) bool {
		return v.Text == w.Text && slices.Equal(v.Shape, w.Shape) && slices.Equal(v.F32, w.F32) && slices.Equal(v.F64, w.F64) &&
			slices.Equal(v.I64, w.I64) && slices.Equal(v.Bool, w.Bool)
	})
}
