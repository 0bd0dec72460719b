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
	words map[string]Words
	told  map[string]bool // whose hint has been given
}

// Diagnose returns the mistakes that explain all marks, or else the one that the
// loss curves alone give away.
func (s Store) Diagnose(marks map[string]Mark, functions []string) *Diagnosis {
	found := s.Answers.Explain(marks, functions)
	if f := s.Answers.Curve(marks); len(found) == 0 && f != nil {
		found = append(found, *f)
	}
	return &Diagnosis{found: found, words: s.Words, told: map[string]bool{}}
}

// For says why a check fails, and reports whether that is known. A mistake is
// told in full, with its hint, at the first of its checks that is asked for.
func (d *Diagnosis) For(check string) (verdict.Diagnosis, bool) {
	var ids []string
	var texts, again []lang.Text
	for _, f := range d.found {
		if !slices.Contains(f.Checks, check) {
			continue
		}
		w := d.words[f.ID]
		if d.told[f.ID] {
			again = append(again, lang.T("fails for the same reason: %s", lang.Of(w.Title)))
		}
		ids, texts = append(ids, f.ID), append(texts, w.tell(f, d.told[f.ID]))
		d.told[f.ID] = true
	}
	said := verdict.Diagnosis{Kind: verdict.Mistake, ID: strings.Join(ids, "+"), Text: lang.Lines(texts...)}
	if len(again) == len(ids) { // nothing new
		said.Again = lang.Lines(again...)
	}
	return said, len(ids) > 0
}

// tell puts a known mistake into words. The hint is told once a step.
func (w Words) tell(f Found, told bool) lang.Text {
	title, hint := lang.Of(w.Title), lang.Of(w.Hint)
	switch {
	case told:
		return lang.T("The mistake named above makes this check fail too: %s.", title)
	case f.Curve:
		return lang.T("Your loss curve has the shape (to %.0e) that it has when %s.\n%s", f.Agreement, title, hint)
	case f.Shape:
		return lang.T("Your output has the shape that it has when %s.\n%s", title, hint)
	case f.Agreement < exact:
		return lang.T("Your output matches exactly what you get when %s.\n%s", title, hint)
	case f.Agreement > byChance:
		return lang.T("Your output matches, within what chance allows, what you get when %s.\n%s", title, hint)
	}
	return lang.T("Your output matches (to %.0e) what you get when %s.\n%s", f.Agreement, title, hint)
}
