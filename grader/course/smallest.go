package course

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
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
