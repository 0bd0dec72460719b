package mutate

import (
	"maps"
	"strings"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
)

// Stores collects what is to be stored, by folder: what every mistake does, and
// what is said about it.
func Stores(results []Result) map[string]diagnose.Store {
	byFolder := map[string]diagnose.Store{}
	for _, r := range results {
		store, ok := byFolder[r.Step.Folder]
		if !ok {
			store = diagnose.Store{Words: map[string]diagnose.Words{}, Answers: diagnose.Known{}}
			byFolder[r.Step.Folder] = store
		}
		maps.Copy(store.Words, Words([]mistake.Mistake{r.Mistake}))
		if e := diagnose.Of(r.Marks, r.Caught); len(e.Answers) > 0 {
			e.Curve = r.Mistake.Curve
			store.Answers[r.Version] = e
		}
	}
	return byFolder
}

// Words returns what is said about mistakes and about their versions, as a store
// has it.
func Words(mistakes []mistake.Mistake) map[string]diagnose.Words {
	words := map[string]diagnose.Words{}
	for _, m := range mistakes {
		for _, v := range m.Versions {
			if v.Title != "" {
				words[v.ID] = diagnose.Words{Title: v.Title}
			}
		}
		words[m.ID] = diagnose.Words{Title: m.Title, Why: m.Why, Hint: m.Hint}
	}
	return words
}

// Reword returns a store with the words of the mistakes as they are now. What it
// holds of mistakes that are gone is left out.
func Reword(old diagnose.Store, mistakes []mistake.Mistake) diagnose.Store {
	s := diagnose.Store{Words: Words(mistakes), Answers: maps.Clone(old.Answers)}
	maps.DeleteFunc(s.Answers, func(version string, _ diagnose.Entry) bool {
		id, _, _ := strings.Cut(version, "/")
		_, known := s.Words[id]
		return !known
	})
	return s
}
