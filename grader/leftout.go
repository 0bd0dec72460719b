package grader

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// leftOut is the checks that are left out of the points, by reason, in order.
type leftOut struct {
	reasons []lang.Text
	checks  map[string][]string
}

func (l *leftOut) add(why lang.Text, check string) {
	if l.checks == nil {
		l.checks = map[string][]string{}
	}
	if l.checks[why.String()] == nil {
		l.reasons = append(l.reasons, why)
	}
	l.checks[why.String()] = append(l.checks[why.String()], check)
}

// withdraw takes back what passed in part, where another check finds that the same
// function gives wrong values: what was not asked cannot count as right then.
func (g *run) withdraw(checks []report.Check, called map[string]map[string]bool) {
	for i := range checks {
		c := &checks[i]
		if !c.InPart {
			continue
		}
		at := slices.IndexFunc(checks, func(other report.Check) bool {
			return other.Failure != nil && other.Failure.Kind.OfValues() && shares(called[c.ID], called[other.ID])
		})
		if at >= 0 {
			c.Verdict, c.Points, c.InPart = verdict.Blocked, 0, false
			c.Message = g.Lang.Say("This edition can ask only a part of it, which says nothing as long as %s does not pass.", checks[at].ID)
		}
	}
}

func shares(a, b map[string]bool) bool {
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}

// text is a sentence for each reason.
func (l *leftOut) text() lang.Text {
	var lines []lang.Text
	for _, why := range l.reasons {
		lines = append(lines, lang.T("Left out of the points, because %s: %s.", why, strings.Join(l.checks[why.String()], ", ")))
	}
	return lang.Lines(lines...)
}
