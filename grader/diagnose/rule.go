package diagnose

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// Rule is a mistake that nobody wrote down: a change of the formula, and what the
// functions that it changes answer to all of their fixtures.
type Rule struct {
	ID string `json:"id"`
	Sentence
	Answers   map[string][]float64 `json:"answers"`              // by function: ruleSums sums a mark
	NotFinite map[string]uint32    `json:"not_finite,omitempty"` // by mark, see Sketch
	// Loose is how far roundings carry an answer, relative to its size, by mark, where
	// they carry it further than the right one.
	Loose map[string]float64 `json:"loose,omitempty"`
}

// Rules are those of a step.
type Rules struct {
	Marks map[string][]string       // the names of a function's marks, in the order of the answers
	Sizes map[string]map[string]int // of a case, by letter
	Rules []Rule
}

// ruleSums is how many sums of a sketch a rule has. Its answers have the right shapes.
const ruleSums = 2

// Put notes what a rule answers to the fixtures of a function.
func (r *Rule) Put(function string, names []string, marks map[string]Mark, loose map[string]float64) {
	if r.Answers == nil {
		r.Answers = map[string][]float64{}
	}
	var sums []float64
	for _, name := range names {
		got := marks[name].Got
		for _, s := range got.Sums[:ruleSums] {
			sums = append(sums, shortened(s))
		}
		if got.NotFinite != 0 {
			if r.NotFinite == nil {
				r.NotFinite = map[string]uint32{}
			}
			r.NotFinite[name] = got.NotFinite
		}
		if loose[name] > 0 {
			if r.Loose == nil {
				r.Loose = map[string]float64{}
			}
			r.Loose[name] = math.Ceil(loose[name]*1e8) / 1e8
		}
	}
	r.Answers[function] = sums
}

// shortened keeps eight significant digits.
func shortened(x float64) float64 {
	var y float64
	fmt.Sscan(fmt.Sprintf("%.8g", x), &y)
	return y
}

// Drop forgets what a rule answers to the fixtures of a function.
func (r *Rule) Drop(function string, names []string) {
	delete(r.Answers, function)
	for _, name := range names {
		delete(r.NotFinite, name)
		delete(r.Loose, name)
	}
}

// LoadRules reads the rules of a step; read is fixtures.Rules. A step may have none.
func LoadRules(read func(folder string) ([]byte, error), folder string) (Rules, error) {
	text, err := read(folder)
	if err != nil || text == nil {
		return Rules{}, err
	}
	r, err := ParseRules(text)
	if err != nil {
		return Rules{}, lang.Errorf("fixtures/%s/rules.json is damaged: %w", folder, err)
	}
	return r, nil
}

// ParseRules reads what Format wrote.
func ParseRules(text []byte) (Rules, error) {
	var stored struct {
		Marks map[string][]string       `json:"marks"`
		Sizes map[string]map[string]int `json:"sizes"`
		Rules []Rule                    `json:"rules"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return Rules{}, lang.Errorf("the store of the rules cannot be read: %w", err)
	}
	for _, r := range stored.Rules {
		if !r.whole() || r.ID == "" || len(r.Answers) == 0 {
			return Rules{}, lang.Errorf("the store of the rules is damaged at %q", r.ID)
		}
		for _, f := range slices.Sorted(maps.Keys(r.Answers)) {
			if len(r.Answers[f]) != ruleSums*len(stored.Marks[f]) {
				return Rules{}, lang.Errorf("the store of the rules is damaged at %q", r.ID)
			}
		}
	}
	return Rules(stored), nil
}

// Format writes rules, a line each.
func (r Rules) Format() []byte {
	var b strings.Builder
	b.WriteString("{\n\"marks\": {")
	for i, f := range slices.Sorted(maps.Keys(r.Marks)) {
		fmt.Fprintf(&b, "%s%s: %s", comma(i), quote(f), quote(r.Marks[f]))
	}
	b.WriteString("\n},\n\"sizes\": {")
	for i, c := range slices.Sorted(maps.Keys(r.Sizes)) {
		fmt.Fprintf(&b, "%s%s: %s", comma(i), quote(c), quote(r.Sizes[c]))
	}
	b.WriteString("\n},\n\"rules\": [")
	for i, rule := range r.Rules {
		fmt.Fprintf(&b, "%s%s", comma(i), quote(rule))
	}
	b.WriteString("\n]\n}\n")
	return []byte(b.String())
}
