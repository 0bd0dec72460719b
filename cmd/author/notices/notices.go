// Package notices gathers the licences of everything that the kit's programs are
// linked with: modules, the fonts that some of them carry, and Go itself.
package notices

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/reference/newline"
)

// File is where the notices stand, from the root of the kit.
const File = "docs/THIRD_PARTY_NOTICES"

// Module is a module that a program is linked with.
type Module struct{ Path, Version, Dir string }

// Program says what is linked: the packages that patterns name in a module's
// folder, on a system.
type Program struct {
	Dir      string // of the module
	Patterns []string
	System   []string // GOOS and GOARCH, as an environment; nil for this one
}

// Programs returns what the kit in root links on every system that it supports.
func Programs(root string) []Program {
	var all []Program
	for _, system := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"} {
		goos, goarch, _ := strings.Cut(system, "/")
		env := []string{"GOOS=" + goos, "GOARCH=" + goarch}
		all = append(all, Program{root, []string{"./..."}, env})
		all = append(all, Program{filepath.Join(root, "cmd", "class-worker"), []string{"./..."}, env})
		all = append(all, Program{filepath.Join(root, "notebooks"), []string{"./...", "tool"}, env})
	}
	return all
}

// Linked returns the modules that programs are linked with, by path and version,
// and the folders of the packages that are taken from each.
func Linked(ctx context.Context, programs []Program) (map[Module]map[string]bool, error) {
	linked := map[Module]map[string]bool{}
	for _, p := range programs {
		cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Dir,Module"}, p.Patterns...)...)
		cmd.Dir = p.Dir
		cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "CGO_ENABLED=0", "PWD="+p.Dir), p.System...)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("the go command cannot list what %s is linked with: %w\n%s", p.Dir, err, complaint.String())
		}
		if err := add(linked, out); err != nil {
			return nil, err
		}
	}
	return linked, nil
}

// add adds the packages that the go command has listed.
func add(linked map[Module]map[string]bool, listed []byte) error {
	for d := json.NewDecoder(bytes.NewReader(listed)); ; {
		var pkg struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
				Replace            *Module
			}
		}
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		m := pkg.Module
		if m == nil || m.Main || m.Replace != nil { // Go's own, or the kit's
			continue
		}
		module := Module{m.Path, m.Version, m.Dir}
		if linked[module] == nil {
			linked[module] = map[string]bool{}
		}
		linked[module][pkg.Dir] = true
	}
}

// licence matches the names of files that say under what terms something may be
// used.
var licence = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notice|patents|unlicense|ofl)([-._].*)?$`)

// texts returns the licence files of a folder, by their path from root.
func texts(root, dir string) (map[string]string, error) {
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !licence.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go"):
		case e.IsDir():
			err := filepath.WalkDir(path, func(inner string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				return read(found, root, inner)
			})
			if err != nil {
				return nil, err
			}
		default:
			if err := read(found, root, path); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func read(found map[string]string, root, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(root, path)
	lines := strings.Split(newline.Unix(string(data)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\f")
	}
	found[filepath.ToSlash(name)] = strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
	return err
}

// of returns the licence files of a module: those at its root, and those beside
// the packages that are taken from it and above them.
func of(m Module, dirs map[string]bool) (map[string]string, error) {
	all, seen := map[string]string{}, map[string]bool{}
	for dir := range dirs {
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			found, err := texts(m.Dir, dir)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, found)
			if dir == m.Dir {
				break
			}
		}
	}
	if len(all) == 0 {
		all = section(m)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s %s has no licence file; find out under what terms it may be used", m.Path, m.Version)
	}
	return all, nil
}

// terms matches the part of a README on the licence, and what it says of the
// author, up to its end.
var terms = regexp.MustCompile(`(?ims)^#+ licen[cs]e\b.*`)

// section returns what the README of a module says on its licence.
func section(m Module) map[string]string {
	found := map[string]string{}
	if read(found, m.Dir, filepath.Join(m.Dir, "README.md")) != nil {
		return nil
	}
	text := terms.FindString(found["README.md"])
	if text == "" {
		return nil
	}
	return map[string]string{"README.md": text}
}

// Make returns the notices of the kit in root.
func Make(ctx context.Context, root string) ([]byte, error) {
	linked, err := Linked(ctx, Programs(root))
	if err != nil {
		return nil, err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	distribution := strings.TrimSpace(string(goroot))
	linked[Module{"Go", "standard library and runtime", distribution}] = map[string]bool{distribution: true}
	users := map[string][]string{} // of each text
	for m, dirs := range linked {
		found, err := of(m, dirs)
		if err != nil {
			return nil, err
		}
		for name, text := range found {
			users[text] = append(users[text], fmt.Sprintf("%s, %s: %s", m.Path, m.Version, name))
		}
	}
	return write(users), nil
}

// write writes every text once, after all that it applies to.
func write(users map[string][]string) []byte {
	for _, list := range users {
		slices.Sort(list)
	}
	order := slices.SortedFunc(maps.Keys(users), func(a, b string) int { return strings.Compare(users[a][0], users[b][0]) })
	var b bytes.Buffer
	b.WriteString("Third-party notices\n\nThe programs of Stubformer and its notebooks are linked with what follows, or carry it.\n" +
		"Made by: go run ./cmd/grade dev notices\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(users[text], "\n"), text)
	}
	return b.Bytes()
}

// Check returns an error if the notices in root are not those that Make returns.
func Check(ctx context.Context, root string) error {
	want, err := Make(ctx, root)
	if err != nil {
		return err
	}
	have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(File)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if have := newline.Unix(have); !bytes.Equal(have, want) {
		return fmt.Errorf("%s is not up to date; run: go run ./cmd/grade dev notices", File)
	}
	return nil
}
