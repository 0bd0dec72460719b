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
}

// Rules are those of a step.
type Rules struct {
	Marks map[string][]string // the names of a function's marks, in the order of the answers
	Rules []Rule
}

// ruleSums is how many sums of a sketch a rule has. Its answers have the right shapes.
const ruleSums = 2

// Put notes what a rule answers to the fixtures of a function.
func (r *Rule) Put(function string, names []string, marks map[string]Mark) {
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
	}
}

// Agrees reports whether all answers of a function are there and are those of the
// rule, and how far they are from them at most, relative to their size.
func (r Rule) Agrees(function string, names []string, marks map[string]Mark) (apart float64, ok bool) {
	sums := r.Answers[function]
	if len(sums) == 0 || len(sums) != ruleSums*len(names) {
		return 0, false
	}
	for i, name := range names {
		m, answered := marks[name]
		if !answered || !slices.Equal(m.Got.Shape, m.Want.Shape) || m.Got.NotFinite != r.NotFinite[name] || len(m.Got.Sums) < ruleSums {
			return 0, false
		}
		size := math.Max(m.Got.RMS, m.Want.RMS)
		for j, s := range sums[ruleSums*i : ruleSums*(i+1)] {
			d := math.Abs(s - m.Got.Sums[j])
			if !(d <= slack*math.Max(m.Tolerance, storage)*size) {
				return 0, false
			}
			if d > 0 {
				apart = math.Max(apart, d/size)
			}
		}
	}
	return apart, true
}

// byRule returns the rules that explain all answers of functions of which no written
// mistake explains any. Where rules that say different things do, none stands.
func (c *inquiry) byRule(rules Rules) []Found {
	var found []Found
	for _, f := range c.functions {
		if len(c.open[f]) == 0 || c.taken(f) {
			continue
		}
		r, apart := c.ruleOf(f, rules)
		if r == nil {
			continue
		}
		if i := slices.IndexFunc(found, func(f Found) bool { return f.ID == r.ID }); i >= 0 {
			found[i].In, found[i].Agreement = append(found[i].In, f), math.Max(found[i].Agreement, apart)
			continue
		}
		found = append(found, Found{ID: r.ID, Rule: r, In: []string{f}, Agreement: apart})
	}
	return found
}

// taken reports whether written mistakes explain what is wrong with a function.
func (c *inquiry) taken(f string) bool {
	known, asked := c.takenBy[f]
	if !asked {
		known = c.wellKnown(f)
		c.takenBy[f] = known
	}
	return known
}

func (c *inquiry) wellKnown(f string) bool {
	if len(c.open[f]) == 0 {
		return false
	}
	for v := range c.known {
		if c.agrees(v, f) && len(c.explained(v, f)) == len(c.open[f]) {
			return true
		}
	}
	return len(c.explanations(f)) > 0
}

// ruleOf returns the one rule that a function follows; nil if there is none, or one
// that says something else. One that an earlier function follows as well goes first.
func (c *inquiry) ruleOf(f string, rules Rules) (one *Rule, apart float64) {
	clear, deep := true, false
	for i := range rules.Rules {
		r := &rules.Rules[i]
		d, below, ok := c.follows(f, r, rules.Marks)
		if !ok || deep && !below {
			continue
		}
		if one == nil || below && !deep {
			one, apart, clear, deep = r, d, true, below
		} else if !slices.Equal(one.Args, r.Args) || one.Form != r.Form {
			clear = false
		}
	}
	if !clear {
		return nil, 0
	}
	return one, apart
}

// follows reports whether a function answers as a rule has it, and whether one that it
// is made of does so as well: those that the rule changes must.
func (c *inquiry) follows(f string, r *Rule, names map[string][]string) (apart float64, below, ok bool) {
	apart, ok = r.Agrees(f, names[f], c.marks)
	array := func(name string) bool { return !c.marks[name].Outcome }
	if !ok || !slices.ContainsFunc(c.open[f], array) {
		return 0, false, false
	}
	for _, name := range c.open[f] {
		if !slices.Contains(names[f], name) {
			return 0, false, false
		}
	}
	for g := range r.Answers {
		if g == f || !c.underlies(g, f) || !slices.Contains(c.functions, g) {
			continue
		}
		if _, same := r.Agrees(g, names[g], c.marks); !same || c.taken(g) {
			return 0, false, false
		}
		below = true
	}
	return apart, below, true
}

// compares reports whether a check compares the arrays of a function, or some of them,
// and asks for nothing else.
func compares(check, function string, names []string) bool {
	rest, ok := strings.CutPrefix(check, function)
	if rest == "" || rest == ".fresh" {
		return ok
	}
	return ok && slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "/"+rest[1:]) })
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
		Marks map[string][]string `json:"marks"`
		Rules []Rule              `json:"rules"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return Rules{}, lang.Errorf("the store of the rules cannot be read: %w", err)
	}
	for _, r := range stored.Rules {
		if n := r.Form.arguments(); n == 0 || n != len(r.Args) || r.ID == "" || len(r.Answers) == 0 {
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
	b.WriteString("\n},\n\"rules\": [")
	for i, rule := range r.Rules {
		fmt.Fprintf(&b, "%s%s", comma(i), quote(rule))
	}
	b.WriteString("\n]\n}\n")
	return []byte(b.String())
}
