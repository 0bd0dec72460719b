package likeness

import (
	"maps"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// honest is a right program of the kit: who wrote it, and what of a step.
type honest struct {
	author, name string
	code         Code
}

// honestPrograms returns the right programs of a step: those of grader/testdata/right,
// which are written anew, and those of the authors of grader/testdata/unlisted. These
// changed the solution: parts has a program for each change, and whole one for each
// author, with all the changes that fit together.
func honestPrograms(t *testing.T, kit *workspace.Kit, step *course.Step, k Kit) (whole, parts []honest) {
	for _, code := range k.Honest {
		whole = append(whole, honest{"right", "right", code})
	}
	solutions, err := mistake.Solutions(kit.Root)
	require.NoError(t, err)
	for _, author := range []string{"first", "second", "third"} {
		changes, err := mistake.Unlisted(filepath.Join(kit.Root, "grader", "testdata", "unlisted", author, "right"), step.Folder)
		require.NoError(t, err)
		together, changed := maps.Clone(solutions), Code{}
		for _, m := range changes {
			for _, v := range m.Versions {
				files, err := v.Apply(solutions)
				require.NoError(t, err)
				parts = append(parts, honest{author, v.ID, ofStep(files)})
				if files, err := v.Apply(together); err == nil { // else it needs what an earlier one took away
					maps.Copy(together, files)
					maps.Copy(changed, ofStep(files))
				}
			}
		}
		if len(changed) > 0 {
			whole = append(whole, honest{author, "whole", changed})
		}
	}
	return whole, parts
}

func ofStep(files map[string][]byte) Code {
	code := Code{}
	for name, data := range files {
		code[path.Base(name)] = data
	}
	return code
}

// measured is the likeness of two programs, and what they are to each other.
type measured struct {
	step             string
	whole            bool   // programs of a whole step, not of one change
	kind             string // "authors", "author", or the name of a disguise
	likeness, common float64
	own              float64 // weight of the pieces of the smaller one
}

// measure compares all honest programs of the course with each other, and each with
// disguised copies of it. Each step is a class.
func measure(t *testing.T) (all []measured) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	given, err := Words(kit, registry.Steps())
	require.NoError(t, err)
	for _, step := range registry.Steps() {
		k, err := OfKit(kit, step)
		require.NoError(t, err)
		whole, parts := honestPrograms(t, kit, step, k)
		k.Honest = nil // they are the class
		back := k.background(given)
		all = append(all, measureClass(t, step.ID, true, whole, back, given)...)
		all = append(all, measureClass(t, step.ID, false, parts, back, given)...)
	}
	return all
}

func measureClass(t *testing.T, step string, whole bool, class []honest, back *background, given Vocabulary) (all []measured) {
	var names []string
	var programs []*program
	for _, p := range class {
		names, programs = append(names, p.author+"/"+p.name), append(programs, read(p.code, given))
	}
	x := newIndex(names, programs, back)
	sums := x.common()
	for i := range class {
		for j := i + 1; j < len(class); j++ {
			kind := "authors"
			if class[i].author == class[j].author {
				kind = "author"
			}
			common := sums[[2]int{i, j}]
			all = append(all, measured{step, whole, kind, x.likeness(i, j, common), common, min(x.total[i], x.total[j])})
		}
	}
	n := len(class)
	for i, p := range class {
		for _, d := range disguises() {
			copied := read(disguised(t, d, p.code), given)
			require.Empty(t, copied.notes)
			x := newIndex(append(names[:n:n], "copy"), append(programs[:n:n], copied), back)
			common := x.common()[[2]int{i, n}]
			all = append(all, measured{step, whole, d.name, x.likeness(i, n, common), common, x.total[i]})
		}
	}
	return all
}
