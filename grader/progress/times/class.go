package times

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
)

// Row is what a class says of a step: only those count who passed it.
type Row struct {
	Step     *course.Step
	Estimate string // hours, as CURRICULUM.md has them
	Students int
	// Hours: the median, and the middle half.
	Median, Low, High float64
	Attempts          float64 // the median
}

// Collect returns a row for each step that anybody passed.
func Collect(steps []*course.Step, files []File) []Row {
	var rows []Row
	for _, step := range steps {
		var hours, attempts []float64
		for _, f := range files {
			for _, s := range f.Steps {
				if s.ID == step.ID && s.Passed {
					hours = append(hours, float64(s.Minutes)/60)
					attempts = append(attempts, float64(s.Attempts))
				}
			}
		}
		if len(hours) == 0 {
			continue
		}
		rows = append(rows, Row{Step: step, Students: len(hours), Median: quantile(hours, 0.5), Low: quantile(hours, 0.25),
			High: quantile(hours, 0.75), Attempts: quantile(attempts, 0.5)})
	}
	return rows
}

// quantile is the value below which a share of the values lies, between two of them by a
// straight line.
func quantile(values []float64, share float64) float64 {
	values = slices.Sorted(slices.Values(values))
	at := share * float64(len(values)-1)
	i := int(at)
	if i+1 == len(values) {
		return values[i]
	}
	return values[i] + (at-float64(i))*(values[i+1]-values[i])
}

// hours is the column of the map in CURRICULUM.md, from 0, that has a step's hours.
const hours = 3

// Measure writes the medians into the map of CURRICULUM.md, behind the estimates: "4 (2.6,
// n = 41)", and sets the rows' estimates. What an earlier class left there is replaced. It
// is an error if the map lacks a step.
func Measure(curriculum string, rows []Row) (string, error) {
	lines := strings.Split(curriculum, "\n")
	for r := range rows {
		row := &rows[r]
		link := "/" + row.Step.Folder + "/"
		at := slices.IndexFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "| [") && strings.Contains(line, link) && strings.Count(line, " | ") > hours
		})
		if at < 0 {
			return "", lang.Errorf("the map of CURRICULUM.md has no row for %s", row.Step.ID)
		}
		cells := strings.Split(lines[at], " | ")
		row.Estimate, _, _ = strings.Cut(cells[hours], " (")
		cells[hours] = fmt.Sprintf("%s (%.1f, n = %d)", row.Estimate, row.Median, row.Students)
		lines[at] = strings.Join(cells, " | ")
	}
	return strings.Join(lines, "\n"), nil
}

// Table is the rows in Markdown.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString("| step | hours, estimated | hours, median | middle half | attempts, median | students |\n|---|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %.1f | %.1f to %.1f | %.0f | %d |\n", r.Step.ID, r.Estimate, r.Median, r.Low, r.High, r.Attempts, r.Students)
	}
	return b.String()
}
