package likeness

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// CSV returns the report as a table, a row a pair and step. Groups are numbered as
// they follow each other on the page; near_solution_* say how much of a submission
// is the solution's or the lesson's, from 0 to 1.
func (r *Report) CSV() ([]byte, error) {
	rows := [][]string{{"group", "step", "a", "b", "likeness", "pieces_in_common", "near_solution_a", "near_solution_b", "functions_a", "functions_b"}}
	for i, c := range r.Clusters {
		for _, p := range c.Pairs {
			var a, b []string
			for _, f := range p.Functions {
				if f.Common >= 1 {
					a, b = append(a, f.A), append(b, f.B)
				}
			}
			rows = append(rows, []string{strconv.Itoa(i + 1), p.Step, cell(p.A), cell(p.B), fmt.Sprintf("%.3f", p.Likeness),
				fmt.Sprintf("%.1f", p.Common), fmt.Sprintf("%.3f", p.NearA), fmt.Sprintf("%.3f", p.NearB),
				cell(strings.Join(a, "; ")), cell(strings.Join(b, "; "))})
		}
	}
	var out bytes.Buffer
	err := csv.NewWriter(&out).WriteAll(rows)
	return out.Bytes(), err
}

func cell(text string) string { return untrusted.Cell(shownName(text)) }
