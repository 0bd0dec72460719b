// Package likeness finds submissions that are alike, for those who teach to look at.
//
// A function is brought into a normal form, a tree in which names, comments, layout,
// the spelling of numbers, the order of statements and declarations, the form of
// loops and names for parts of an expression make no difference. Its pieces are the
// subtrees of some size, by their hashes. Pieces that the stub, the solution or the
// lesson holds do not count, and the others count the less the more of the class
// have them. The likeness of two programs is the weight of the pieces that both have,
// as a part of what the one with less of its own has.
//
// Hashes of subtrees, with operands in order where order makes no difference: Baxter
// and others, "Clone Detection Using Abstract Syntax Trees", ICSM 1998. What is left
// out and why: Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for
// Document Fingerprinting", SIGMOD 2003. Their choice of a few hashes among many is
// not needed for programs of this size.
package likeness

import (
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// Submission is what one student handed in.
type Submission struct {
	Name  string
	Steps map[string]Code // by the id of the step: "step05"
}

// Kit is what the course itself writes in a step.
type Kit struct {
	Stub   Code
	Solved []Code // the solution, and what the lesson shows
	Honest []Code // other right programs
}

// Report is what Compare found.
type Report struct {
	Threshold float64
	Steps     []string // that were compared
	Names     []string // of the submissions
	Pairs     []Pair   // by step, the most alike first
	Clusters  []Cluster
	Notes     []Note
}

// Note says what was not compared, and why.
type Note struct {
	Name, Step string
	Why        lang.Text
}

// Compare compares all submissions in the given steps. A pair is reported if its
// likeness reaches the threshold, from 0 to 1, and what it has in common is Enough.
func Compare(class []Submission, steps []string, kit func(step string) (Kit, error), given Vocabulary, threshold float64) (*Report, error) {
	r := &Report{Threshold: threshold, Steps: steps}
	for _, s := range class {
		r.Names = append(r.Names, s.Name)
	}
	for _, step := range steps {
		k, err := kit(step)
		if err != nil {
			return nil, err
		}
		var names []string
		var programs []*program
		for _, s := range class {
			if len(s.Steps[step]) == 0 {
				continue
			}
			p := read(s.Steps[step], given)
			for _, why := range p.notes {
				r.Notes = append(r.Notes, Note{s.Name, step, why})
			}
			names, programs = append(names, s.Name), append(programs, p)
		}
		r.Pairs = append(r.Pairs, newIndex(names, programs, k.background(given)).pairs(step, threshold)...)
	}
	r.Clusters = clusters(r.Pairs)
	return r, nil
}

// background reads what the kit holds of a step.
func (k Kit) background(given Vocabulary) *background {
	b := &background{given: map[uint64]bool{}, solved: map[uint64]bool{}}
	for h := range read(k.Stub, given).pieces {
		b.given[h] = true
	}
	for _, code := range k.Solved {
		for h := range read(code, given).pieces {
			b.solved[h] = true
		}
	}
	for _, code := range k.Honest {
		b.honest = append(b.honest, read(code, given))
	}
	return b
}

// Cluster is submissions that pairs connect, in whatever step.
type Cluster struct {
	Names []string // in order
	Pairs []Pair
}

// clusters returns the groups that pairs make, the largest first.
func clusters(pairs []Pair) (all []Cluster) {
	group := map[string]int{} // in all
	for _, p := range pairs {
		a, okA := group[p.A]
		b, okB := group[p.B]
		switch {
		case !okA && !okB:
			all = append(all, Cluster{})
			a = len(all) - 1
		case !okA:
			a = b
		case okB && a != b:
			for _, name := range all[b].Names {
				group[name] = a
			}
			all[a].Names = append(all[a].Names, all[b].Names...)
			all[a].Pairs = append(all[a].Pairs, all[b].Pairs...)
			all[b] = Cluster{}
		}
		for _, name := range []string{p.A, p.B} {
			if !slices.Contains(all[a].Names, name) {
				all[a].Names = append(all[a].Names, name)
			}
			group[name] = a
		}
		all[a].Pairs = append(all[a].Pairs, p)
	}
	all = slices.DeleteFunc(all, func(c Cluster) bool { return len(c.Names) == 0 })
	for _, c := range all {
		slices.Sort(c.Names)
	}
	slices.SortStableFunc(all, func(a, b Cluster) int { return len(b.Names) - len(a.Names) })
	return all
}
