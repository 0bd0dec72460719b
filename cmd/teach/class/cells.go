package class

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"github.com/stubformer/stubformer/grader/report"
)

// Table returns rows as CSV; with the mark of UTF-8 before them if one is wanted.
func Table(rows [][]string, mark bool) ([]byte, error) {
	var b bytes.Buffer
	if mark {
		b.WriteString("\ufeff")
	}
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// sum adds up the scores of steps.
type sum struct {
	score, top int
	failed     bool // in a step, the grader
}

// add counts a step, if it was graded, and returns its cell.
func (n *sum) add(s *report.Step) string {
	if s == nil {
		return ""
	}
	n.top += s.Max
	if s.Score == nil {
		n.failed = true
		return ""
	}
	n.score += *s.Score
	return strconv.Itoa(*s.Score)
}

func (n *sum) columns() []string {
	if n.failed {
		return []string{"", strconv.Itoa(n.top)}
	}
	return []string{strconv.Itoa(n.score), strconv.Itoa(n.top)}
}
