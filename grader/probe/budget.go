package probe

import (
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Budget is the time that all starts and calls of one or more subjects may take
// together, beside the limit that each call has: many slow calls are as bad as
// one without end.
type Budget struct {
	whole time.Duration // 0 for no limit

	mu      sync.Mutex
	used    time.Duration
	excused time.Duration
}

// NewBudget returns the budget that limits give to a step.
func NewBudget(limits Limits) *Budget { return &Budget{whole: limits.Budget} }

// spend takes a time from the budget.
func (b *Budget) spend(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += d
}

// excuse gives back time that was spent waiting for a processor, as long as the
// whole does not become stint.Overtime times the budget.
func (b *Budget) excuse(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d = max(min(d, b.used, (stint.Overtime-1)*b.whole-b.excused), 0)
	b.used, b.excused = b.used-d, b.excused+d
}

// spent reports whether nothing is left.
func (b *Budget) spent() bool { return b.whole > 0 && b.left() <= 0 }

func (b *Budget) left() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.whole - b.used
}

// within returns the limit for one exchange: no more than what is left.
func (b *Budget) within(limit time.Duration) time.Duration {
	if b.whole == 0 {
		return limit
	}
	return max(min(limit, b.left()), 0)
}

// failure is for every call after the budget is spent: the program's, or that of a
// machine on which most of the time is lost to others.
func (b *Budget) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.excused >= (stint.Overtime-1)*b.whole {
		return &stint.StarvedError{Clock: b.used + b.excused, Had: b.used}
	}
	return &verdict.Failure{Kind: verdict.Timeout, Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained},
		Message: lang.T("the answers to all checks of a step may take %v together, and that time is used up; which checks are slow?", b.whole)}
}
