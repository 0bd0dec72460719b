package standing

import (
	"github.com/stubformer/stubformer/grader/course/milestone"
)

// Milestone is a milestone and how the student stands with it.
type Milestone struct {
	milestone.Milestone
	Waits  []string // steps that have yet to pass; none: it is open
	Result *Outcome // nil: it was not run
}

// Outcome is how a milestone went.
type Outcome struct {
	Loss   float64 // on the text that was kept back, in nats per character
	Sample string  // what it writes
	Wrong  bool    // it is not what sound steps reach
}

// WithMilestones puts the milestones of the course into the standing, with the
// outcomes that are kept of them.
func (c Course) WithMilestones(outcomes map[string]Outcome) Course {
	passed := func(id string) bool {
		s := c.Find(id)
		return s != nil && s.HasPassed()
	}
	c.Milestones = nil
	for _, m := range milestone.All() {
		own := Milestone{Milestone: m, Waits: m.Waits(passed)}
		if o, ok := outcomes[m.Name]; ok {
			own.Result = &o
		}
		c.Milestones = append(c.Milestones, own)
	}
	return c
}

// NextMilestone returns the milestone that is to be run next: the first open one
// without a result, or with a wrong one, or else the last that is open. Nil: none is.
func (c Course) NextMilestone() *Milestone {
	var last *Milestone
	for i, m := range c.Milestones {
		if len(m.Waits) > 0 {
			continue
		}
		last = &c.Milestones[i]
		if m.Result == nil || m.Result.Wrong {
			break
		}
	}
	return last
}
