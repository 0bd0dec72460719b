package diagnose

import (
	"maps"
	"path"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// Where is the part of a function's answers in which a rule holds: all of them, one
// of its results, or those to inputs whose size is special.
type Where struct {
	Result string
	Letter string // of the size
	Is     Size
}

// Size is what a size may be that is special.
type Size string

// The special sizes.
const (
	One  Size = "one"
	Odd  Size = "odd"
	Even Size = "even"
)

func (s Size) of(n int) bool {
	switch s {
	case One:
		return n == 1
	case Odd:
		return n%2 == 1
	}
	return n%2 == 0
}

// text adds to a sentence where it holds.
func (w Where) text(title lang.Text) lang.Text {
	switch w.Is {
	case One:
		return lang.T("%s, but only where %s is 1", title, w.Letter)
	case Odd:
		return lang.T("%s, but only where %s is odd", title, w.Letter)
	case Even:
		return lang.T("%s, but only where %s is even", title, w.Letter)
	}
	return title
}

// leastElements is how many numbers at least a rule must explain where it does not
// hold everywhere.
const leastElements = 8

// special returns the special sizes that a function's inputs have exactly where
// something is wrong. Where several sizes are special in the same inputs, it is not
// known which of them counts.
func (c *inquiry) special(f string, rules Rules) []scope {
	names := rules.Marks[f]
	wrong, right, elements := map[string]bool{}, map[string]bool{}, 0
	for _, name := range names {
		if m, ok := c.marks[name]; ok && !m.Right() {
			wrong[path.Dir(name)] = true
			n := 1
			for _, d := range m.Want.Shape {
				n *= d
			}
			elements += n
		}
	}
	for _, name := range names {
		right[path.Dir(name)] = !wrong[path.Dir(name)]
	}
	var found []scope
	for _, letter := range c.letters(rules, wrong) {
		for _, is := range []Size{One, Odd, Even} {
			if is != One && len(wrong) < 2 || elements < leastElements {
				continue
			}
			fits := true
			for of := range right {
				n, known := rules.Sizes[of][letter]
				fits = fits && (known && is.of(n)) == wrong[of]
			}
			if fits {
				found = append(found, scope{Where{Letter: letter, Is: is}, func(name string) bool {
					n, known := rules.Sizes[path.Dir(name)][letter]
					return known && is.of(n)
				}})
				break // 1 is odd
			}
		}
	}
	if len(found) > 1 || len(wrong) == len(right) {
		return nil
	}
	return found
}

// letters are those of the sizes that all of some cases have.
func (c *inquiry) letters(rules Rules, cases map[string]bool) []string {
	var shared []string
	first := true
	for of := range cases {
		here := slices.Sorted(maps.Keys(rules.Sizes[of]))
		if first {
			shared, first = here, false
		}
		shared = slices.DeleteFunc(shared, func(letter string) bool { return !slices.Contains(here, letter) })
	}
	return shared
}
