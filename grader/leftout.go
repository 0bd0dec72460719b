package grader

import (
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
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

// text is a sentence for each reason.
func (l *leftOut) text() lang.Text {
	var lines []lang.Text
	for _, why := range l.reasons {
		lines = append(lines, lang.T("Left out of the points, because %s: %s.", why, strings.Join(l.checks[why.String()], ", ")))
	}
	return lang.Lines(lines...)
}
