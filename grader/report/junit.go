package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/stubformer/stubformer/grader/verdict"
)

// WriteJUnit writes the report as JUnit XML: a suite a step, a case a check,
// with the step in the case's classname. What is not written yet is skipped,
// what is wrong a failure, and the grader's own failure an error.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: "stubformer"}
	for i := range r.Steps {
		suite := r.Steps[i].junit(r.limit())
		suite.Properties = &junitProperties{[]junitProperty{
			{"kit", r.Kit}, {"fixtures", r.Fixtures}, {"impl", r.Impl}, {"seed", fmt.Sprint(r.Seed)},
			{"points", r.Steps[i].Points()},
		}}
		all.Suites = append(all.Suites, suite)
		all.junitCount.add(suite.junitCount)
		all.seconds += r.Steps[i].seconds()
	}
	all.Time = seconds(all.seconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *Step) junit(limit int) junitSuite {
	suite := junitSuite{Name: s.ID + " " + s.Name, Time: seconds(s.seconds())}
	messages := s.told(limit)
	for i, c := range s.Checks {
		tc := junitCase{Class: s.ID + "." + s.Name, Name: c.ID, Time: seconds(c.Seconds)}
		why := &junitResult{Message: firstLine(messages[i]), Type: string(c.Verdict), Text: messages[i]}
		suite.Tests++
		switch c.Verdict {
		case verdict.Passed:
		case verdict.NotImplemented, verdict.Blocked:
			tc.Skipped = &junitSkipped{why.Message}
			suite.Skipped++
		case verdict.GraderError:
			tc.Error = why
			suite.Errors++
		default:
			tc.Failure = why
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, tc)
	}
	return suite
}

// seconds writes a duration as JUnit's readers expect it.
func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// The elements and attributes are those that Jenkins' and Ant's schemas share.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCount
		Time    string       `xml:"time,attr"`
		Suites  []junitSuite `xml:"testsuite"`
		seconds float64
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCount
		Time       string           `xml:"time,attr"`
		Properties *junitProperties `xml:"properties"`
		Cases      []junitCase      `xml:"testcase"`
	}
	junitCount struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitResult  `xml:"failure"`
		Error   *junitResult  `xml:"error"`
		Skipped *junitSkipped `xml:"skipped"`
	}
	junitResult struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

func (c *junitCount) add(d junitCount) {
	c.Tests += d.Tests
	c.Failures += d.Failures
	c.Errors += d.Errors
	c.Skipped += d.Skipped
}
