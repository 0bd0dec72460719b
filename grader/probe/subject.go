// Package probe is the grader's side of the wire: it starts a subject in a
// process of its own, under limits, puts calls to it and says what became of
// them. PROTOCOL.md describes the wire.
package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Subject is a program under examination. Its process starts with the first
// call, and again with the first call after it died, so a check that kills it
// does not take the next one along. Its methods may be called concurrently;
// the calls are put to the program one after another.
type Subject struct {
	command Command
	limits  Limits

	budget *Budget

	mu     sync.Mutex
	live   *process
	broken *verdict.Failure // it cannot even be started; remembered, not tried again

	vanished   bool // the last process that was stopped did
	begunAgain bool // after that
}

// New returns a subject that has not been started yet.
func New(command Command, limits Limits) *Subject {
	return NewWithin(NewBudget(limits), command, limits)
}

// NewWithin returns one that shares its budget of time with others.
func NewWithin(budget *Budget, command Command, limits Limits) *Subject {
	return &Subject{command: command, limits: limits, budget: budget}
}

// Call puts one call to the subject. The error of a call that did not return
// results is a *verdict.Failure, or the context's error, or the grader's own
// trouble with starting a process.
//
// A program that dies during a call may suffer from an earlier one (a goroutine left
// running, memory left behind): see Used. One that vanishes before it has answered anything
// is begun once more: some systems end a program now and then, and do not say that it was
// they.
func (s *Subject) Call(ctx context.Context, function string, in wire.Values) (wire.Values, error) {
	if err := in.Check(); err != nil {
		return nil, fmt.Errorf("the arguments of %s: %w", function, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := s.call(ctx, function, in)
	if s.vanished && !s.begunAgain {
		s.begunAgain, s.broken = true, nil
		out, err = s.call(ctx, function, in)
	}
	return out, err
}

func (s *Subject) call(ctx context.Context, function string, in wire.Values) (wire.Values, error) {
	if s.budget.within(s.limits.Call) < s.limits.Call {
		s.excuse()
	}
	if s.budget.spent() {
		s.stop()
		return nil, s.budget.failure()
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	reply, err := s.put(ctx, function, in)
	if err != nil {
		s.stop()
		return nil, err
	}
	s.live.answered++
	if f := verdict.OfReply(reply); f != nil {
		return nil, f
	}
	return reply.Values, nil
}

// Used reports whether there is a live process, and it has answered calls: whoever asks
// next may suffer from what these have left behind.
func (s *Subject) Used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live != nil && s.live.answered > 0
}

// put sends one request to the live process and waits for its reply. After an
// error the process is not to be used again.
func (s *Subject) put(ctx context.Context, function string, in wire.Values) (wire.Message, error) {
	id := 1 + rand.Int64N(1<<53-1) // which no program can guess that does not read it
	doing := lang.T("during %s", function)
	reply, err := s.ask(ctx, &wire.Message{ID: id, Call: function, Values: in}, s.limits.Call, doing)
	if err == nil && reply.ID != id {
		err = s.live.failure(verdict.Exited, "the program wrote something to the grader's wire %s that is not an answer (it bears the number %d, which the request has not), and was stopped", doing, reply.ID)
	}
	return reply, err
}

// Stillborn reports whether the program ended, or was ended, before it said anything.
func (s *Subject) Stillborn() bool { return s.broken != nil }

// start makes sure that there is a live process.
func (s *Subject) start(ctx context.Context) error {
	if s.live != nil {
		return nil
	}
	if s.broken != nil {
		again := *s.broken
		return &again
	}
	p, err := start(s.command, s.limits)
	if err != nil {
		return err
	}
	s.live = p
	hello, err := s.ask(ctx, nil, s.limits.Start, lang.T("while starting"))
	if err == nil && hello.Protocol != wire.Protocol {
		err = p.failure(verdict.Exited, "the program does not speak %s: it began with %q", wire.Protocol, hello.Protocol)
	}
	if f, ok := err.(*verdict.Failure); ok && !s.budget.spent() {
		remembered := *f
		s.broken = &remembered
	}
	if err != nil {
		s.stop()
	}
	return err
}

// ask exchanges one frame with the live process within the limit of time, and
// within the budget.
func (s *Subject) ask(ctx context.Context, request *wire.Message, limit time.Duration, doing lang.Text) (wire.Message, error) {
	if s.budget.spent() {
		return wire.Message{}, s.budget.failure()
	}
	begun, given := time.Now(), s.budget.within(limit)
	reply, err := s.live.ask(ctx, request, given, doing)
	s.budget.spend(time.Since(begun))
	if f, ok := err.(*verdict.Failure); !ok || f.Kind != verdict.Timeout {
		return reply, err
	}
	if s.excuse(); given < limit || s.budget.spent() {
		return reply, s.budget.failure()
	}
	return reply, err
}

// ask exchanges one frame within the limit of time. An error is a
// *verdict.Failure, or the context's.
func (p *process) ask(ctx context.Context, request *wire.Message, limit time.Duration, doing lang.Text) (wire.Message, error) {
	var reply wire.Message
	var err error
	p.idle = make(chan struct{})
	go func() {
		defer close(p.idle)
		reply, err = p.exchange(request)
	}()
	select {
	case <-p.idle:
	case <-p.output.over:
	case <-p.full:
		return wire.Message{}, p.overflow(doing)
	case <-ctx.Done():
		return wire.Message{}, ctx.Err()
	case starved := <-p.watch.Within(limit).Expired(p.idle):
		switch {
		case p.isIdle(): // the answer has come while nobody looked
		case starved != nil:
			return wire.Message{}, starved
		default:
			return wire.Message{}, p.hang(limit, doing)
		}
	}
	select {
	case <-p.output.over: // even if an answer came as well
		return wire.Message{}, p.flood(doing)
	default:
	}
	if err != nil {
		return wire.Message{}, p.autopsy(err, doing)
	}
	return reply, nil
}

// isIdle reports whether nobody uses the wire.
func (p *process) isIdle() bool {
	select {
	case <-p.idle:
		return true
	default:
		return false
	}
}

// excuse gives back to the budget what the live process has lost to others and
// was not given back before.
func (s *Subject) excuse() {
	if s.live == nil {
		return
	}
	all := s.live.watch.Account().Lost(stint.Account{}, runtime.NumCPU())
	s.budget.excuse(all - s.live.excused)
	s.live.excused = max(all, s.live.excused)
}

// stop ends the live process, if there is one.
func (s *Subject) stop() error {
	if s.live == nil {
		return nil
	}
	s.excuse()
	p := s.live
	s.live, s.vanished = nil, p.vanished
	return p.kill()
}

// Close ends the process, with everything that it started, and removes its
// working directory.
func (s *Subject) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop()
}
