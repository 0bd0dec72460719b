package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Platforms refuse large files (PrairieLearn one above 1 MB), and a student's
// program may have printed a lot into the message of every check. In bytes:
const (
	maxMessage  = 4 << 10   // of one check
	maxMessages = 256 << 10 // of all checks, before a format escapes what it must
)

// limit is how long the message of one check may be.
func (r *Report) limit() int {
	checks := 0
	for _, s := range r.Steps {
		checks += len(s.Checks)
	}
	return min(maxMessage, maxMessages/max(1, checks))
}

// total returns the points of all steps and their maximum; known is false if
// the grader itself failed, so that there is no score at all.
func (r *Report) total() (points, top int, known bool) {
	known = true
	for _, s := range r.Steps {
		top += s.Max
		if s.Score == nil {
			known = false
			continue
		}
		points += *s.Score
	}
	return points, top, known
}

// seconds is how long the checks of a step took.
func (s *Step) seconds() float64 {
	sum := 0.0
	for _, c := range s.Checks {
		sum += c.Seconds
	}
	return sum
}

// told returns the messages of a step's checks, fit for any platform and each
// cut to limit. A message that several checks share, such as a compile error,
// is told once.
func (s *Step) told(limit int) []string {
	messages, first := make([]string, len(s.Checks)), map[string]string{}
	for i, c := range s.Checks {
		text := untrusted.Clean(c.Message)
		if c.Verdict == verdict.NotImplemented && c.Failure != nil && c.Failure.What != "" {
			text = untrusted.Clean("Not implemented yet: " + c.Failure.What)
		}
		if id, repeated := first[text]; repeated && text != "" && !c.InPart {
			messages[i] = "The same as for " + id + "."
			continue
		}
		first[text], messages[i] = c.ID, clipped(text, limit)
	}
	return messages
}

// Account says why points of the step are lost, cause by cause, for a page that lists the
// checks below. It is empty where nothing is wrong, and where the step's own message says it.
func (s *Step) Account(p lang.Printer) string {
	if s.Message != "" && len(s.Checks) > 0 && s.Checks[0].Message == s.Message {
		return ""
	}
	var b strings.Builder
	wrong := Wrong(s.Causes())
	for i := range wrong {
		wrong[i].write(&b, Setting{Style: Style{Lang: p.Within(0)}}, s, shown)
	}
	return clipped(untrusted.Clean(strings.TrimSuffix(b.String(), "\n")), maxMessage)
}

// account is that of all steps, for a platform that has one text for a report.
func (r *Report) account() string {
	var b strings.Builder
	for i := range r.Steps {
		s := &r.Steps[i]
		if why := s.Account(lang.Printer{}); why != "" {
			fmt.Fprintf(&b, "%s  %s   %s   %s\n%s\n\n", s.ID, s.Title, s.Points(), s.went(Style{}, s.Causes()), why)
		}
	}
	return b.String()
}

// clipped cuts a long text at a character's border and says so.
func clipped(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := limit
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s\n… (%d more bytes)", text[:cut], len(text)-cut)
}

// firstLine is a message in short.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// origin says which kit, fixtures and seed the report comes from, so that a
// result can be repeated.
func (r *Report) origin() string {
	return fmt.Sprintf("kit %s, fixtures %s, code: %s, seed %d", r.Kit, r.Fixtures, r.Impl, r.Seed)
}

// apology is what a report says when the grader itself failed.
const apology = "The grader itself failed, which is not the student's fault. There is no score; please run it again."
