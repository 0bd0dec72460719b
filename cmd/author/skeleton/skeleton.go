// Package skeleton makes the files of a new step, so that its author begins
// with a course that compiles and a list of what remains to be written: what
// grade dev check finds missing, and every place marked TODO(author).
package skeleton

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// Mark stands where the author has something to write.
const Mark = "TODO(author)"

//go:embed step
var templates embed.FS

// step is what the templates are about.
type step struct {
	ID     string // "step12"
	Name   string // "dropout"
	Folder string // "step12_dropout"
}

// Number and Title write the step as a lesson's heading and an identifier do.
func (s step) Number() string { return strings.TrimPrefix(s.ID, "step") }
func (s step) Title() string  { return strings.ToUpper(s.Name[:1]) + s.Name[1:] }

// New adds a step to the kit and returns the files that it wrote, by path from
// the root. The number is any that is free, the name that of a Go package. If anything is in the way, nothing is written.
func New(kit *workspace.Kit, number int, name string) ([]string, error) {
	s := step{fmt.Sprintf("step%02d", number), name, fmt.Sprintf("step%02d_%s", number, name)}
	if err := s.check(number); err != nil {
		return nil, err
	}
	if err := workspace.CheckPristine(kit.Root); err != nil {
		return nil, fmt.Errorf("the new stub cannot be stored as long as others are not: %w", err)
	}
	files, err := s.files(kit.Root)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(kit.Root, f.name)); err == nil && !f.exists {
			return nil, fmt.Errorf("%s is there already", f.name)
		}
	}
	var names []string
	for _, f := range files {
		path := filepath.Join(kit.Root, filepath.FromSlash(f.name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.data, 0o644)); err != nil {
			return names, err
		}
		names = append(names, f.name)
	}
	return names, workspace.WritePristine(kit.Root)
}

// check refuses a number or a name that cannot be.
func (s step) check(number int) error {
	if number < 1 || number > 99 {
		return fmt.Errorf("%d cannot be the number of a step; want 1 to 99", number)
	}
	if !regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(s.Name) || s.Name == "init" || s.Name == "main" {
		return fmt.Errorf("%q cannot name the package of a step; want small letters and digits, as in dropout", s.Name)
	}
	for _, other := range registry.Steps() {
		if other.ID == s.ID {
			return fmt.Errorf("%s is there already: it is %s; take a free number", other.ID, other.Name)
		}
		if other.Name == s.Name {
			return fmt.Errorf("%s is called %s already", other.ID, s.Name)
		}
	}
	return nil
}

// file is one that is to be written.
type file struct {
	name   string // path from the root, with slashes
	data   []byte
	exists bool // it is there already, and is changed
}

// files returns the files of the step, and the register with the step in it.
func (s step) files(root string) ([]file, error) {
	var files []file
	err := fs.WalkDir(templates, "step", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		t, err := template.New(e.Name()).Delims("«", "»").ParseFS(newline.FS{FS: templates}, path)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, s); err != nil {
			return err
		}
		name := strings.NewReplacer("FOLDER", s.Folder, "STEP", s.ID, "NAME", s.Name).Replace(path)
		files = append(files, file{name: strings.TrimSuffix(strings.TrimPrefix(name, "step/"), ".txt"), data: b.Bytes()})
		return nil
	})
	if err != nil {
		return nil, err
	}
	register, err := s.register(root)
	if err != nil {
		return nil, err
	}
	return append(files, file{registerName, register, true}), nil
}

// registerName is the file that lists the steps.
const registerName = "grader/course/registry/registry.go"

// register returns that file with the step in it.
func (s step) register(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(registerName)))
	if err != nil {
		return nil, err
	}
	changed := newline.Unix(string(text))
	for _, add := range []struct{ before, text string }{
		{`(?m)^\)$`, fmt.Sprintf("\t%s \"github.com/stubformer/stubformer/grader/course/%s\"\n", s.Name, s.Folder)},
		{`(?m)^\t\}\)$`, "\t\t" + s.Name + ".Step(),\n"},
	} {
		place := regexp.MustCompile(add.before).FindStringIndex(changed)
		if place == nil {
			return nil, fmt.Errorf("%s has no place for the step: no %q", registerName, add.before)
		}
		changed = changed[:place[0]] + add.text + changed[place[0]:]
	}
	return []byte(changed), nil
}
