package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stubformer/stubformer/cmd/author/mutate"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// minMistakes is how many mistakes every step knows at least.
const minMistakes = 10

// lintMistakes makes every known mistake of a step in its solution, and compares
// what is said about them with what is stored. Whether they are caught and
// named, grade dev mutate tells.
func lintMistakes(kit *workspace.Kit, step *course.Step) []string {
	mistakes, err := mistake.Load(kit.Root, step.Folder)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	if len(mistakes) < minMistakes {
		wrong = append(wrong, fmt.Sprintf("has %d mistakes in grader/course/%s/mistakes; want at least %d",
			len(mistakes), step.Folder, minMistakes))
	}
	solutions, err := mistake.Solutions(kit.Root)
	if err != nil {
		return append(wrong, err.Error())
	}
	for _, m := range mistakes {
		for _, v := range m.Versions {
			if _, err := v.Apply(solutions); err != nil {
				wrong = append(wrong, err.Error())
			}
		}
	}
	stored, err := diagnose.Load(fixtures.Mistakes, step.Folder)
	if err != nil {
		return append(wrong, err.Error())
	}
	now := diagnose.Store{Words: mutate.Words(mistakes)}
	wrong = append(wrong, sameTitles(step, now, mistakes)...)
	return append(wrong, otherWords(step, stored.Words, now.Words)...)
}

// sameTitles names the versions of mistakes that are said in the same words as
// another.
func sameTitles(step *course.Step, words diagnose.Store, mistakes []mistake.Mistake) []string {
	var wrong []string
	first := map[string]string{}
	for _, m := range mistakes {
		for _, v := range m.Versions {
			title := words.Title(v.ID).String()
			if other, taken := first[title]; taken {
				wrong = append(wrong, fmt.Sprintf("%s and %s of grader/course/%s/mistakes have the same title, %q; give it one of its own: // %s: TITLE",
					other, v.ID, step.Folder, title, v.ID))
			}
			first[title] = v.ID
		}
	}
	return wrong
}

// otherWords names the mistakes about which the store says something else than
// the catalogue.
func otherWords(step *course.Step, stored, now map[string]diagnose.Words) []string {
	var wrong []string
	all := maps.Clone(stored)
	maps.Copy(all, now)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if stored[id] != now[id] {
			wrong = append(wrong, fmt.Sprintf("fixtures/%s/mistakes.json says something else of %s than grader/course/%s/mistakes; "+
				"to store the words: grade dev mutate %s --words", step.Folder, id, step.Folder, step.ID))
		}
	}
	return wrong
}
