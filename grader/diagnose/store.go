package diagnose

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// Store is what the grader knows about the mistakes of a step when it grades:
// what each does, and what is said about it.
type Store struct {
	Words   map[string]Words `json:"words"` // by the mistake's id; titles of versions by theirs
	Answers Known            `json:"answers"`
}

// Words are what is said about a mistake.
type Words struct {
	Title string `json:"title"` // completes "what you get when …"
	Why   string `json:"why,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// Load reads the store of a step; read is fixtures.Mistakes. A kit without one,
// or with one that cannot be read, is damaged, which is no student's fault.
func Load(read func(folder string) ([]byte, error), folder string) (Store, error) {
	text, err := read(folder)
	if err != nil {
		return Store{}, lang.Errorf("fixtures/%s: the store of the known mistakes is missing: %w", folder, err)
	}
	s, err := Parse(text)
	if err != nil {
		return Store{}, lang.Errorf("fixtures/%s/mistakes.json is damaged: %w", folder, err)
	}
	return s, nil
}

// Parse reads what Format wrote. It refuses a mistake without words or answers,
// and answers that are not whole.
func Parse(text []byte) (Store, error) {
	var s Store
	if err := json.Unmarshal(text, &s); err != nil {
		return Store{}, lang.Errorf("the store of the known mistakes cannot be read: %w", err)
	}
	if s.Words == nil || s.Answers == nil {
		return Store{}, lang.Errorf("the store of the known mistakes lacks the words or the answers")
	}
	for _, id := range slices.Sorted(maps.Keys(s.Answers)) {
		if w := s.Words[mistake(id)]; w.Title == "" || w.Hint == "" {
			return Store{}, lang.Errorf("the store of the known mistakes has no words for %s", id)
		}
		if err := s.Answers[id].check(); err != nil {
			return Store{}, lang.Errorf("the store of the known mistakes is damaged at %s: %w", id, err)
		}
	}
	return s, nil
}

// check reports what an entry lacks: one is stored for a mistake that has other
// answers than the right ones, and each of them is a whole sketch.
func (e Entry) check() error {
	if len(e.Answers) == 0 {
		return lang.Errorf("it has no answers")
	}
	for _, name := range slices.Sorted(maps.Keys(e.Answers)) {
		if n := len(e.Answers[name].Sums); n != sums && n != 0 { // none for an array of another shape
			return lang.Errorf("%s has %d sums, want %d", name, n, sums)
		}
	}
	return nil
}

// Format writes a store, one line for the words of a mistake and one a mark.
func (s Store) Format() []byte {
	var b strings.Builder
	b.WriteString("{\n\"words\": {")
	for i, id := range slices.Sorted(maps.Keys(s.Words)) {
		fmt.Fprintf(&b, "%s%s: %s", comma(i), quote(id), quote(s.Words[id]))
	}
	b.WriteString("\n},\n\"answers\": {")
	for i, id := range slices.Sorted(maps.Keys(s.Answers)) {
		e := s.Answers[id]
		fmt.Fprintf(&b, "%s%s: {\"checks\": %s, ", comma(i), quote(id), quote(e.Checks))
		if e.Curve {
			b.WriteString("\"curve\": true, ")
		}
		b.WriteString("\"answers\": {")
		for j, name := range slices.Sorted(maps.Keys(e.Answers)) {
			fmt.Fprintf(&b, "%s  %s: %s", comma(j), quote(name), quote(e.Answers[name]))
		}
		b.WriteString("}}")
	}
	b.WriteString("\n}\n}\n")
	return []byte(b.String())
}

func comma(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

// quote writes texts, shapes and finite numbers, which JSON can hold, without
// hiding <, > and &.
func quote(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // what is stored is finite
	}
	return strings.TrimSuffix(b.String(), "\n")
}
