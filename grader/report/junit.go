package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/stubformer/stubformer/grader/verdict"
)

// WriteJUnit writes the report as JUnit XML: a suite a step, a case a check,
// with the step in the case's classname. What is not written yet is skipped,
// what is wrong a failure, and the grader's own failure an error. The elements and
// attributes are those that Jenkins' and Ant's schemas share.
func (r *Report) WriteJUnit(w io.Writer) error {
	var suites []element
	var counted junitCount
	var took float64
	for i := range r.Steps {
		s := &r.Steps[i]
		cases, count := s.junit(r.limit())
		properties := element{name: "properties", inside: []element{
			property("kit", r.Kit), property("fixtures", r.Fixtures), property("impl", r.Impl),
			property("seed", fmt.Sprint(r.Seed)), property("points", s.Points()),
		}}
		suites = append(suites, element{
			name:       "testsuite",
			attributes: count.attributes(s.ID+" "+s.Name, s.seconds()),
			inside:     append([]element{properties}, cases...),
		})
		counted.add(count)
		took += s.seconds()
	}
	return element{name: "testsuites", attributes: counted.attributes("stubformer", took), inside: suites}.document(w)
}

func property(name, value string) element {
	return element{name: "property", attributes: []attribute{{"name", name}, {"value", value}}}
}

// junit returns the cases of a step, and how many there are of each kind.
func (s *Step) junit(limit int) (cases []element, count junitCount) {
	messages := s.told(limit)
	for i, c := range s.Checks {
		cases = append(cases, element{name: "testcase", attributes: []attribute{
			{"classname", s.ID + "." + s.Name}, {"name", c.ID}, {"time", seconds(c.Seconds)},
		}})
		message := attribute{"message", firstLine(messages[i])}
		why := element{attributes: []attribute{message, {"type", string(c.Verdict)}}, text: messages[i]}
		count.tests++
		switch c.Verdict {
		case verdict.Passed:
			continue
		case verdict.NotImplemented, verdict.Blocked:
			why = element{name: "skipped", attributes: []attribute{message}}
			count.skipped++
		case verdict.GraderError:
			why.name = "error"
			count.errors++
		default:
			why.name = "failure"
			count.failures++
		}
		cases[i].inside = []element{why}
	}
	return cases, count
}

// seconds writes a duration as JUnit's readers expect it.
func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// junitCount says how many cases there are.
type junitCount struct{ tests, failures, errors, skipped int }

func (c *junitCount) add(d junitCount) {
	c.tests += d.tests
	c.failures += d.failures
	c.errors += d.errors
	c.skipped += d.skipped
}

// attributes are those of a suite, or of all suites.
func (c *junitCount) attributes(name string, took float64) []attribute {
	return []attribute{{"name", name}, {"tests", strconv.Itoa(c.tests)}, {"failures", strconv.Itoa(c.failures)},
		{"errors", strconv.Itoa(c.errors)}, {"skipped", strconv.Itoa(c.skipped)}, {"time", seconds(took)}}
}
