package diagnose

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// An agreement below exact is none that float32 could show; one above byChance
// is that of statistics, not of arrays.
const (
	exact    = 1e-9
	byChance = 1e-3
)

// Diagnosis is the known mistakes that explain a subject's marks, in words.
type Diagnosis struct {
	found []Found
	store Store
	marks map[string][]string // of the functions that a rule changes
	told  map[string]bool     // whose hint has been given
}

// Diagnose returns the mistakes that explain all marks, or else the one that the
// loss curves alone give away, and the rules that explain functions of which no
// mistake explains anything. rules is asked only if there are such functions.
func (s Store) Diagnose(marks map[string]Mark, functions []string, rules func() (Rules, error)) (*Diagnosis, error) {
	c := newInquiry(s.Answers, marks, functions)
	d := &Diagnosis{found: c.written(), store: s, told: map[string]bool{}}
	if f := s.Answers.Curve(marks); len(d.found) == 0 && f != nil {
		d.found = append(d.found, *f)
		return d, nil
	}
	if !slices.ContainsFunc(c.functions, func(f string) bool { return len(c.open[f]) > 0 && !c.taken(f) }) {
		return d, nil
	}
	known, err := rules()
	if err != nil {
		return nil, err
	}
	d.found, d.marks = append(d.found, c.byRule(known)...), known.Marks
	return d, nil
}

// For says why a check fails, and reports whether that is known. A mistake is
// told in full, with its hint, at the first of its checks that is asked for.
func (d *Diagnosis) For(check string) (verdict.Diagnosis, bool) {
	var ids []string
	var texts []lang.Text
	var known []verdict.Known
	for _, f := range d.found {
		if !slices.Contains(f.Checks, check) && !slices.ContainsFunc(f.In, func(in string) bool { return compares(check, in, d.marks[in]) }) {
			continue
		}
		title := d.store.title(f)
		hint := lang.Of(d.store.Words[f.ID].Hint)
		ids, texts = append(ids, f.ID), append(texts, tell(f, title, hint, d.told[f.ID]))
		known = append(known, verdict.Known{ID: f.ID, Title: f.sure(title), Advice: hint})
		d.told[f.ID] = true
	}
	said := verdict.Diagnosis{Kind: verdict.Mistake, ID: strings.Join(ids, "+"), Text: lang.Lines(texts...), Known: known}
	return said, len(ids) > 0
}

// sure says of a title what it rests on, where that is less than equal answers.
func (f Found) sure(title lang.Text) lang.Text {
	switch {
	case f.Curve:
		return lang.T("by the shape of the loss curve, %s", title)
	case f.Agreement > byChance:
		return lang.T("within what chance allows, %s", title)
	}
	return title
}

// title is that of the version that was made, as far as it is known.
func (s Store) title(f Found) lang.Text {
	if f.Rule != nil {
		return f.ruleTitle()
	}
	_, own := s.Words[f.Version]
	if f.Version == "" || f.Partly && !own { // the version's name speaks of what answers otherwise
		return lang.Of(s.Words[f.ID].Title)
	}
	return s.Title(f.Version)
}

// ruleTitle is the sentence of a rule, and where it holds.
func (f Found) ruleTitle() lang.Text {
	title := f.Where.text(f.Rule.Text())
	derivative := func(function string) bool { return strings.HasSuffix(function, ".backward") }
	switch {
	case f.Rule.Derivative:
		return lang.T("%s, in the derivative alone", title)
	case slices.ContainsFunc(f.In, derivative) && !derivative(f.In[0]):
		return lang.T("%s, in the derivative as well", title)
	}
	return title
}

// Title completes "what you get when …" for a version of a mistake. It is the
// version's own, or the mistake's with what the version's name says.
func (s Store) Title(version string) lang.Text {
	if own, ok := s.Words[version]; ok {
		return lang.Of(own.Title)
	}
	id, way, _ := strings.Cut(version, "/")
	title := lang.Of(s.Words[id].Title)
	switch way {
	case "forward-only":
		return lang.T("%s, in the forward pass alone", title)
	case "backward-only":
		return lang.T("%s, in the derivative alone", title)
	case "derivative-too", "backward-too", "in-the-gradient-too":
		return lang.T("%s, in the derivative as well", title)
	case "in-softmax-only":
		return lang.T("%s, in softmax alone", title)
	case "float32", "float64":
		return lang.T("%s, in %s", title, way)
	}
	if size, ok := strings.CutPrefix(way, "tile-"); ok {
		return lang.T("%s, with tiles of %s", title, size)
	}
	return title
}

// tell puts a known mistake into words. The hint is told once a step.
func tell(f Found, title, hint lang.Text, told bool) lang.Text {
	switch {
	case told:
		return lang.T("The mistake named above makes this check fail too: %s.", title)
	case f.Curve:
		return lang.T("Your loss curve has the shape (to %.0e) that it has when %s.\nFix: %s", f.Agreement, title, hint)
	case f.Rule != nil && f.Agreement < exact:
		return lang.T("Your output matches exactly what you get when %s.", title)
	case f.Rule != nil:
		return lang.T("Your output matches (to %.0e) what you get when %s.", f.Agreement, title)
	case f.Shape:
		return lang.T("Your output has the shape that it has when %s.\nFix: %s", title, hint)
	case f.Agreement < exact:
		return lang.T("Your output matches exactly what you get when %s.\nFix: %s", title, hint)
	case f.Agreement > byChance:
		return lang.T("Your output matches, within what chance allows, what you get when %s.\nFix: %s", title, hint)
	}
	return lang.T("Your output matches (to %.0e) what you get when %s.\nFix: %s", f.Agreement, title, hint)
}
