package diagnose

import (
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
)

// Agrees reports whether all answers of a function are there and are those of the
// rule, and how far they are from them at most, relative to their size.
func (r Rule) Agrees(function string, names []string, marks map[string]Mark) (apart float64, ok bool) {
	return r.agrees(function, names, marks, func(string) bool { return true })
}

// agrees is Agrees where the rule holds for some of the answers, and the others are
// right.
func (r Rule) agrees(function string, names []string, marks map[string]Mark, holds func(name string) bool) (apart float64, ok bool) {
	sums := r.Answers[function]
	if len(sums) == 0 || len(sums) != ruleSums*len(names) {
		return 0, false
	}
	sure := false // one that roundings do not carry far
	for i, name := range names {
		m, answered := marks[name]
		if !answered {
			return 0, false
		}
		if !holds(name) {
			if !m.Right() {
				return 0, false
			}
			continue
		}
		d, same := r.apart(name, m, sums[ruleSums*i:ruleSums*(i+1)])
		if !same {
			return 0, false
		}
		if r.Loose[name] == 0 {
			apart, sure = math.Max(apart, d), sure || !m.Right()
		}
	}
	return apart, sure
}

// apart is how far an answer is from that of the rule, and whether it is close enough.
func (r Rule) apart(name string, m Mark, sums []float64) (apart float64, same bool) {
	if !slices.Equal(m.Got.Shape, m.Want.Shape) || m.Got.NotFinite != r.NotFinite[name] || len(m.Got.Sums) < len(sums) {
		return 0, false
	}
	size := math.Max(m.Got.RMS, m.Want.RMS)
	bound := math.Max(math.Max(m.Tolerance, slack*storage), 2*r.Loose[name]) * size // no slack: formulas may be nearly the same
	for i, s := range sums {
		d := math.Abs(s - m.Got.Sums[i])
		if !(d <= bound) {
			return 0, false
		}
		if d > 0 {
			apart = math.Max(apart, d/size)
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
		for _, one := range c.rulesOf(f, rules) {
			i := slices.IndexFunc(found, func(f Found) bool { return f.ID == one.ID && f.Where == one.Where })
			if i < 0 {
				found = append(found, one)
				continue
			}
			found[i].In, found[i].Agreement = append(found[i].In, f), math.Max(found[i].Agreement, one.Agreement)
		}
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

// scope is a part of a function's answers in which a rule may hold.
type scope struct {
	where Where
	holds func(name string) bool
}

// rulesOf returns the rule that a function follows; or one for each of its wrong
// results; or the one that it follows where its sizes are special.
func (c *inquiry) rulesOf(f string, rules Rules) []Found {
	names := rules.Marks[f]
	array := func(name string) bool { return !c.marks[name].Outcome }
	stray := func(name string) bool { return !slices.Contains(names, name) }
	if slices.ContainsFunc(c.open[f], stray) || !slices.ContainsFunc(c.open[f], array) {
		return nil
	}
	all := scope{holds: func(string) bool { return true }}
	if one, candidates := c.only(f, rules, all); candidates > 0 {
		return one
	}
	if found := c.resultByResult(f, rules); found != nil {
		return found
	}
	var found []Found
	for _, s := range c.special(f, rules) {
		one, candidates := c.only(f, rules, s)
		if candidates == 0 {
			continue
		}
		if one == nil || found != nil {
			return nil
		}
		found = one
	}
	return found
}

// resultByResult returns a rule for each wrong result of a function that has several,
// if there is one for each.
func (c *inquiry) resultByResult(f string, rules Rules) []Found {
	var results []string
	for _, name := range c.open[f] {
		if result := path.Base(name); !slices.Contains(results, result) {
			results = append(results, result)
		}
	}
	if len(results) < 2 {
		return nil
	}
	var found []Found
	for _, result := range results {
		one, _ := c.only(f, rules, scope{where: Where{Result: result}, holds: func(name string) bool { return path.Base(name) == result }})
		if one == nil {
			return nil
		}
		found = append(found, one...)
	}
	return found
}

// only returns the rule that a function follows in a scope, if there is one that says
// something and no other does, and how many there are.
func (c *inquiry) only(f string, rules Rules, s scope) (one []Found, candidates int) {
	clear, deep := true, false
	for i := range rules.Rules {
		r := &rules.Rules[i]
		apart, below, ok := c.follows(f, r, rules.Marks, s)
		if !ok || deep && !below {
			continue
		}
		candidates++
		if one == nil || below && !deep {
			one, clear, deep = []Found{{ID: r.ID, Rule: r, In: []string{f}, Agreement: apart, Where: s.where}}, true, below
		} else if !reflect.DeepEqual(one[0].Rule.Sentence, r.Sentence) {
			clear = false
		}
	}
	if !clear {
		return nil, candidates
	}
	return one, candidates
}

// follows reports whether a function answers as a rule has it in a scope, and whether
// one that it is made of does so as well: those that the rule changes must.
func (c *inquiry) follows(f string, r *Rule, names map[string][]string, s scope) (apart float64, below, ok bool) {
	holds := s.holds
	if result := s.where.Result; result != "" { // of the others nothing is said, but the rule leaves them alone
		if !c.changesOnly(f, r, names[f], result) {
			return 0, false, false
		}
		own := slices.DeleteFunc(slices.Clone(names[f]), func(name string) bool { return !holds(name) })
		apart, ok = r.part(f, names[f], own).Agrees(f, own, c.marks)
	} else {
		apart, ok = r.agrees(f, names[f], c.marks, holds)
	}
	if !ok {
		return 0, false, false
	}
	for g := range r.Answers {
		if g == f || !c.underlies(g, f) || !slices.Contains(c.functions, g) {
			continue
		}
		if _, same := r.agrees(g, names[g], c.marks, holds); !same || c.taken(g) || s.where.Result != "" {
			return 0, false, false
		}
		below = true
	}
	return apart, below, true
}

// part is the rule with some of its answers to a function only.
func (r *Rule) part(f string, names, some []string) Rule {
	part := *r
	var sums []float64
	for i, name := range names {
		if slices.Contains(some, name) {
			sums = append(sums, r.Answers[f][ruleSums*i:ruleSums*(i+1)]...)
		}
	}
	part.Answers = map[string][]float64{f: sums}
	return part
}

// changesOnly reports whether a rule leaves all results of a function right but one.
func (c *inquiry) changesOnly(f string, r *Rule, names []string, result string) bool {
	if len(r.Answers[f]) != ruleSums*len(names) {
		return false
	}
	for i, name := range names {
		right := c.marks[name]
		right.Got = right.Want
		_, same := r.apart(name, right, r.Answers[f][ruleSums*i:ruleSums*(i+1)])
		if path.Base(name) != result && !same {
			return false
		}
	}
	return true
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
