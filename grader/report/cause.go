package report

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Cause is one reason why checks of a step did not pass, and what it costs.
type Cause struct {
	Verdict verdict.Kind // of the first of its checks
	Title   lang.Text    // what is wrong: a known mistake, a diagnosis, or how a call ended
	Advice  lang.Text    // its fix, if there is a word on it: what is right, or what to do
	Checks  []*Check     // that it makes fail, in the course's order; the first tells most
	Points  int          // that these checks would bring, those of checks with two causes too

	key       string   // the same for every check that has this cause
	explained bool     // the title says more than that something is wrong
	differs   string   // the function that has returned other values in the check that was met,
	functions []string // and in all checks of the cause
}

// Known reports whether the cause is a mistake that has a name.
func (c *Cause) Known() bool { return strings.HasPrefix(c.key, mistaken) }

// Causes returns why checks of the step did not pass, in the order in which the course meets
// them. What is not written yet, or could not be checked, stands behind what is wrong.
func (s *Step) Causes() []Cause {
	var all []Cause
	for i := range s.Checks {
		c := &s.Checks[i]
		if c.Verdict == verdict.Passed {
			continue
		}
		for _, why := range c.causes() {
			at := slices.IndexFunc(all, why.is)
			if at < 0 {
				all, at = append(all, why), len(all)
			}
			all[at].Checks = append(all[at].Checks, c)
			all[at].Points += c.Max - c.Points
			if why.differs != "" {
				all[at].functions = append(all[at].functions, why.differs)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Cause) int { return waits(a.Verdict) - waits(b.Verdict) })
	return all
}

// Wrong returns those of the causes that are something to repair.
func Wrong(causes []Cause) []Cause {
	return causes[:len(causes)-len(Waiting(causes))]
}

// Waiting returns the causes that come after those: what is not written yet, and what waits
// for that.
func Waiting(causes []Cause) []Cause {
	at := slices.IndexFunc(causes, func(c Cause) bool { return waits(c.Verdict) > 0 })
	if at < 0 {
		return nil
	}
	return causes[at:]
}

// waits is 0 for what is wrong.
func waits(k verdict.Kind) int {
	switch k {
	case verdict.NotImplemented:
		return 1
	case verdict.Blocked:
		return 2
	}
	return 0
}

// mistaken begins the keys of mistakes that are known.
const mistaken = "mistake "

// is reports whether a check's cause is another that was met before. Values that nothing
// explains are wrong for the reason for which others are that the same function has returned.
func (c Cause) is(other Cause) bool {
	if c.differs != "" && !c.explained {
		return slices.Contains(other.functions, c.differs)
	}
	return c.key == other.key
}

// causes are why a check did not pass: all mistakes that are known to have a part in it, or
// one other reason.
func (c *Check) causes() []Cause {
	f, d := c.Failure, c.Diagnosis
	if f != nil {
		d = f.Diagnosis
	}
	one := Cause{Verdict: c.Verdict, Title: d.Text, explained: d.ID != "" || !d.Text.Empty(), differs: c.differs()}
	switch {
	case c.Verdict == verdict.NotImplemented:
		one.key, one.Title = string(c.Verdict), c.Verdict.Text()
	case len(d.Known) > 0:
		var all []Cause
		for _, k := range d.Known {
			why := one
			why.Title, why.Advice, why.key = k.Title, k.Advice, mistaken+k.ID
			all = append(all, why)
		}
		return all
	case d.Kind == verdict.Mistake: // of a report that was read
		one.key = mistaken + d.ID
	case one.differs != "":
		one.key = string(verdict.WrongValues) + "\n" + one.differs + "\n" + d.ID
	case f == nil:
		one.key, one.Title = string(c.Verdict)+"\n"+c.Message, lang.Raw(c.Message)
	case f.Kind == verdict.Timeout && f.Function != "":
		one.key, one.Title = string(f.Kind)+"\n"+f.Function, f.Message
	case f.Source != "": // the index that is out of range may be another
		one.key, one.Title = string(f.Kind)+"\n"+f.Source+"\n"+f.Detail, f.Message
	default:
		one.key = string(f.Kind) + "\n" + f.Message.String() + "\n" + f.Detail
		if d.Text.Empty() {
			one.Title = f.Message
		}
	}
	if one.Title.Empty() {
		one.Title = lang.T("%s: %s", c.Verdict.Text(), c.Title)
	}
	return []Cause{one}
}

// differs is the function that has returned other values than it should, "" if it is
// something else that is wrong. A report that was read knows it from the check's name alone:
// "attention.forward" of "attention.forward.fresh".
func (c *Check) differs() string {
	parts := strings.SplitN(c.ID, ".", 3)
	switch f := c.Failure; {
	case !c.Verdict.OfValues() || f != nil && f.Diff == nil:
		return ""
	case f != nil && f.Function != "":
		return f.Function
	}
	return strings.Join(parts[:min(2, len(parts))], ".")
}
