package main

import (
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
)

// findStep resolves a step's name as course.Find does, and by the part of its
// folder's name behind the underscore: "init". A name that cannot be found is
// answered with the nearest one.
func findStep(name string) (*course.Step, error) {
	all := registry.Steps()
	found, err := course.Find(all, name)
	if err == nil {
		return found, nil
	}
	const typingErrors = 2
	nearest, best := "", typingErrors+1
	for _, s := range all {
		_, short, _ := strings.Cut(s.Folder, "_")
		if name == short {
			return s, nil
		}
		for _, known := range []string{s.ID, s.Name, s.Folder, short} {
			if d := distance(name, known); d < best && d < len(name)/2 {
				nearest, best = known, d
			}
		}
	}
	if nearest == "" {
		return nil, err
	}
	return nil, lang.Errorf("%w\nDid you mean %s?", err, nearest)
}

// distance is Levenshtein's: how many letters must be put in, taken away or
// replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from a's first i letters to b's first j
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
