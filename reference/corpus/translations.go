package corpus

import (
	"maps"
	"math/rand/v2"
	"strings"
)

// form is a kind of sentence in both languages: a rule of a synchronous grammar, in which
// every choice is made once for both sides, and each says it in its own order.
//
// Source: Chiang, "A Hierarchical Phrase-Based Model for Statistical Machine Translation",
// 2005, section 2: synchronous context-free grammars.
type form struct {
	english, chinese side // with the same choices, in one order

	options []int // how many each choice has: people, places, things, then those of the sides
}

// side is a form in one language, and whom, where and what it may be about.
type side struct {
	node
	names [3][]map[string]string
}

// forms returns what is translated: the opening of a story, the sentences of its middle, and
// its ending.
func forms() []form {
	var all []form
	add := func(english, chinese node) {
		f := form{english: side{english, [3][]map[string]string{people(), places(), things()}},
			chinese: side{chinese, [3][]map[string]string{chinesePeople(), chinesePlaces(), chineseThings()}}}
		for _, names := range f.english.names {
			f.options = append(f.options, len(names))
		}
		f.options = append(f.options, options(english)...)
		all = append(all, f)
	}
	add(opening(), chineseOpening())
	said := chineseEvents()
	for i, event := range events() {
		add(event, said[i])
	}
	add(ending(), chineseEnding())
	return all
}

// options returns how many options each choice of a node has, in order.
func options(n node) (all []int) {
	switch n := n.(type) {
	case choice:
		return []int{len(n)}
	case sequence:
		for _, part := range n {
			all = append(all, options(part)...)
		}
	}
	return all
}

// count is in how many ways the choices can be made.
func (f form) count() int {
	n := 1
	for _, k := range f.options {
		n *= k
	}
	return n
}

// at returns what is said when the choices are made in way number way.
func (f form) at(way int) Pair {
	picks := make([]int, len(f.options))
	for i, k := range f.options {
		picks[i], way = way%k, way/k
	}
	return Pair{f.english.say(picks), f.chinese.say(picks)}
}

// say writes a side whose choices are made.
func (d side) say(picks []int) string {
	s := scope{}
	for i, names := range d.names {
		maps.Copy(s, names[picks[i]])
	}
	var out strings.Builder
	tell(d.node, s, picks[len(d.names):], &out)
	return out.String()
}

// tell writes a node whose choices are made, and returns the picks that are left.
func tell(n node, s scope, picks []int, out *strings.Builder) (rest []int) {
	switch n := n.(type) {
	case text:
		out.WriteString(n.fill(s))
	case choice:
		tell(n[picks[0]], s, nil, out)
		return picks[1:]
	case sequence:
		for _, part := range n {
			picks = tell(part, s, picks, out)
		}
	}
	return picks
}

// Translations returns n sentences of the village in English, each with its translation into
// Chinese. One in two opens a story and says who goes where, with whom, and why; the others
// are of the six other forms, as often one as another, and every choice in them is drawn
// evenly. The same seed gives the same sentences; those to learn from and those that are kept
// back have none in common.
func Translations(seed uint64, n int, heldOut HeldOut) []Pair {
	rng := rand.New(rand.NewPCG(seed, 0x7472616e73)) // "trans"
	all, pairs := forms(), make([]Pair, 0, n)
	for len(pairs) < n {
		f := all[0]
		if rng.IntN(2) == 0 {
			f = all[1+rng.IntN(len(all)-1)]
		}
		if p := f.at(rng.IntN(f.count())); keptBack(p.Source) == heldOut {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// Translation returns the translation of a sentence, which is the only one, or "" if the
// grammar does not have the sentence.
func Translation(english string) string {
	for _, f := range forms() {
		for way := range f.count() {
			if p := f.at(way); p.Source == english {
				return p.Target
			}
		}
	}
	return ""
}
