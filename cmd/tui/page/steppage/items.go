package steppage

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/checklist"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Message is what the grader said about the check under the cursor, or "".
func (m *Model) Message() string {
	item := m.checks.Selected()
	if item == nil || item.Result == nil {
		return ""
	}
	if f := item.Result.Failure; f != nil {
		return item.Result.Message + "\n" + f.Detail + "\n" + f.Source
	}
	return item.Result.Message
}

// Begin shows that the step is being graded: what is known of its checks is old.
func (m *Model) Begin() {
	m.fresh, m.running = map[string]*report.Check{}, 0
	m.setItems()
}

// Progress shows that check number n runs now, or how it went if result is not nil.
func (m *Model) Progress(n int, result *report.Check) {
	if m.fresh == nil { // the page was opened meanwhile
		m.Begin()
	}
	m.running = n
	if result != nil {
		m.running, m.fresh[result.ID] = 0, result
	}
	m.setItems()
}

// End shows that the step is not being graded any more.
func (m *Model) End() {
	m.fresh, m.running = nil, 0
	m.setItems()
}

func (m *Model) setItems() {
	if m.step.Step == nil {
		return
	}
	var items []checklist.Item
	for i, c := range m.step.Checks {
		item := checklist.Item{ID: c.ID, Title: lang.Of(c.Title).In(m.lang), Max: c.Points, Running: m.running == i+1}
		if m.step.Last != nil {
			item.Verdict, item.InPart = verdict.Kind(m.step.Last.Checks[c.ID]), slices.Contains(m.step.Last.InPart, c.ID)
		}
		if m.step.Report != nil {
			for k := range m.step.Report.Checks {
				if r := &m.step.Report.Checks[k]; r.ID == c.ID {
					item.Result, item.Verdict, item.InPart = r, r.Verdict, r.InPart
				}
			}
		}
		if r := m.fresh[c.ID]; r != nil {
			item.Result, item.Verdict, item.InPart = r, r.Verdict, r.InPart
		} else {
			item.Old = m.fresh != nil
		}
		item.Asks = m.asks(c.ID)
		items = append(items, item)
	}
	if m.step.Report != nil && m.fresh == nil {
		byCause(items, m.step.Report.Causes())
	}
	m.checks.SetItems(items)
}

// byCause puts the checks in the order of a report: cause by cause, and then what passed.
func byCause(items []checklist.Item, causes []report.Cause) {
	first := map[string]int{} // the first cause of a check
	for i := range causes {
		for _, c := range causes[i].Checks {
			if _, known := first[c.ID]; !known {
				first[c.ID] = i
			}
		}
	}
	at := func(item checklist.Item) int {
		if i, failed := first[item.ID]; failed {
			return i
		}
		return len(causes)
	}
	for i := range items {
		if n := at(items[i]); n < len(causes) {
			items[i].Cause = &causes[n]
		}
	}
	slices.SortStableFunc(items, func(a, b checklist.Item) int { return at(a) - at(b) })
}

// asks are the functions that a check is about, each with its formula.
func (m *Model) asks(check string) (lines []string) {
	for _, f := range m.step.Functions {
		if check == f.Name || strings.HasPrefix(check, f.Name+".") {
			lines = append(lines, f.Name+": "+f.Formula)
		}
	}
	return lines
}
