package grader

import (
	"context"
	"errors"
	"io"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// hung tells, for every build of a step, how its functions keep to the limit of
// time. A loop without end would otherwise cost the whole limit at every check
// that meets it.
type hung map[*course.Build]map[string]*pace

// pace is how a function has answered so far.
type pace struct {
	answered bool // at least once
	timeouts int
}

// hopeless reports whether there is no point in another call: nothing was ever
// answered, or more than one kind of input is too much.
func (p *pace) hopeless() bool { return p.timeouts > 1 || p.timeouts == 1 && !p.answered }

// spare wraps a subject so that it is spared the calls that are hopeless.
func (h hung) spare(build *course.Build, subject course.Subject) course.Subject {
	if h[build] == nil {
		h[build] = map[string]*pace{}
	}
	return spared{subject, h[build]}
}

type spared struct {
	course.Subject
	paces map[string]*pace // by function
}

// Close ends the subject's process, if it has one.
func (s spared) Close() error {
	if process, ok := s.Subject.(io.Closer); ok {
		return process.Close()
	}
	return nil
}

// Used reports whether the subject has a process that has answered calls.
func (s spared) Used() bool {
	process, ok := s.Subject.(interface{ Used() bool })
	return ok && process.Used()
}

// Call puts a call to the subject, unless it is hopeless.
func (s spared) Call(ctx context.Context, function string, in wire.Values) (wire.Values, error) {
	p := s.paces[function]
	if p == nil {
		p = &pace{}
		s.paces[function] = p
	}
	if p.hopeless() {
		return nil, &verdict.Failure{Kind: verdict.Timeout,
			Message:   lang.T("not run: %s ran out of time in a check before", function),
			Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained}}
	}
	out, err := s.Subject.Call(ctx, function, in)
	var f *verdict.Failure
	switch {
	case err == nil:
		p.answered = true
	case errors.As(err, &f) && f.Kind == verdict.Timeout:
		p.timeouts++
	}
	return out, err
}
