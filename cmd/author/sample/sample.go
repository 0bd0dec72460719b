// Package sample writes a made-up class, to try the grading of classes on: some
// have everything right, some are half-way, most have made some of the course's
// known mistakes, a few hand in nothing that compiles, and a few mean harm.
package sample

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/author/hostile"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// hostileEvery is how often a student means harm.
const hostileEvery = 20

// Write writes n submissions into dir. The same n gives the same class.
func Write(kit *workspace.Kit, n int, dir string) error {
	cases, err := hostile.Cases()
	if err != nil {
		return err
	}
	cases = slices.DeleteFunc(cases, func(c hostile.Case) bool { return c.Boxed })
	w, err := newWriter(kit, n, dir, registry.Steps())
	if err != nil {
		return err
	}
	for i := range n {
		if i%hostileEvery != hostileEvery-1 {
			err = w.student(i)
		} else {
			c := cases[i/hostileEvery*7%len(cases)]
			err = c.Write(kit.Root, filepath.Join(dir, studentName(i)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteAmong writes n submissions into dir, of which some are the given cases,
// each under its own name. The other students hand in the given steps.
func WriteAmong(kit *workspace.Kit, n int, dir string, cases []hostile.Case, steps []*course.Step) error {
	if n < len(cases) {
		return fmt.Errorf("a class of %d does not hold %d hostile submissions", n, len(cases))
	}
	w, err := newWriter(kit, n, dir, steps)
	if err != nil {
		return err
	}
	for i := range n - len(cases) {
		if err := w.student(i); err != nil {
			return err
		}
	}
	for _, c := range cases {
		if err := c.Write(kit.Root, filepath.Join(dir, c.Name)); err != nil {
			return err
		}
	}
	return nil
}

func studentName(i int) string { return fmt.Sprintf("student%03d", i+1) }

func newWriter(kit *workspace.Kit, n int, dir string, steps []*course.Step) (*writer, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	w := &writer{kit: kit, dir: dir, steps: steps, rng: rand.New(rand.NewPCG(uint64(n), 0x636c617373))} // "class"
	for _, s := range steps {
		mistakes, err := mistake.Load(kit.Root, s.Folder)
		if err != nil {
			return nil, err
		}
		for _, m := range mistakes {
			for _, v := range m.Versions {
				w.mistakes = append(w.mistakes, planned{s, v})
			}
		}
	}
	// In the course's order a small class would make those of the first steps only.
	w.rng.Shuffle(len(w.mistakes), func(i, j int) { w.mistakes[i], w.mistakes[j] = w.mistakes[j], w.mistakes[i] })
	return w, nil
}

// student writes the submission of an ordinary student.
func (w *writer) student(i int) error {
	files, err := w.submission(i)
	if err != nil {
		return err
	}
	return w.write(studentName(i), i, files)
}

type writer struct {
	kit      *workspace.Kit
	dir      string
	steps    []*course.Step // that are handed in
	rng      *rand.Rand
	mistakes []planned
	next     int // of the mistakes
}

// planned is a mistake that somebody is to make.
type planned struct {
	step    *course.Step
	version mistake.Version
}

// submission returns one student's files: everyone came some way through the
// course, and nearly everyone made mistakes on it.
func (w *writer) submission(i int) (map[string][]byte, error) {
	files := map[string][]byte{}
	steps := w.steps
	reached := len(steps)
	if i%3 == 1 {
		reached = 1 + w.rng.IntN(len(steps))
	}
	for n, s := range steps {
		from := "solutions"
		if n >= reached {
			from = "steps"
		}
		if err := w.copy(files, from, s.Folder); err != nil {
			return nil, err
		}
	}
	for range min(i%4, 3) {
		w.spoil(files, steps[:reached])
	}
	if i%25 == 7 {
		files["steps/"+steps[0].Folder+"/notes.go"] = []byte("package half\n\nfunc half( {\n")
	}
	// Everyone writes differently: no two files of a step that was worked at are
	// the same.
	for n, s := range steps {
		if n < reached && i > 2 {
			for _, name := range slices.Sorted(maps.Keys(files)) {
				if strings.HasPrefix(name, "steps/"+s.Folder+"/") {
					files[name] = fmt.Appendf(files[name], "\n// Written by student %d.\n", i+1)
					break
				}
			}
		}
	}
	return files, nil
}

// copy adds a step's files, tests aside.
func (w *writer) copy(files map[string][]byte, from, folder string) error {
	names, err := filepath.Glob(filepath.Join(w.kit.Root, from, folder, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files["steps/"+folder+"/"+filepath.Base(name)] = data
	}
	return nil
}

// spoil puts the next known mistake into the files that it fits.
func (w *writer) spoil(files map[string][]byte, steps []*course.Step) {
	byStep := map[string][]byte{}
	for name, data := range files {
		byStep[strings.TrimPrefix(name, "steps/")] = data
	}
	for range w.mistakes {
		m := w.mistakes[w.next%len(w.mistakes)]
		w.next++
		if !slices.ContainsFunc(steps, func(s *course.Step) bool { return s.ID == m.step.ID }) {
			continue
		}
		changed, err := m.version.Apply(byStep)
		if err != nil {
			continue // another mistake has changed what this one is about
		}
		for name, data := range changed {
			files["steps/"+name] = data
		}
		return
	}
}

// write writes a submission as a folder or, every other time, as an archive of
// a folder.
func (w *writer) write(name string, i int, files map[string][]byte) error {
	if i%2 == 0 {
		for _, file := range slices.Sorted(maps.Keys(files)) {
			path := filepath.Join(w.dir, name, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, files[file], 0o644)); err != nil {
				return err
			}
		}
		return nil
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		out, err := z.Create("my-repository/" + file)
		if err != nil {
			return err
		}
		if _, err := out.Write(files[file]); err != nil {
			return err
		}
	}
	return errors.Join(z.Close(), os.WriteFile(filepath.Join(w.dir, name+".zip"), b.Bytes(), 0o644))
}
