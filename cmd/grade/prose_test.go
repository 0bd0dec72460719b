package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// A command in a text: to the end of its line, its code or its sentence.
var (
	inText = regexp.MustCompile("(?:go run \\./cmd/grade|`grade)( [^`\"\n]*)?")
	ending = regexp.MustCompile(`\s(#|>|\||&&|&)\s|   ?|\\|[；。，：]| (?:，|：)`)
	// What stands for an argument, or for more of them.
	dots = regexp.MustCompile(`^[….]+$`)
)

// commands returns the commands of a text, each as its arguments.
func commands(text string) [][]string {
	var all [][]string
	for _, found := range inText.FindAllStringSubmatch(text, -1) {
		line := found[1]
		if at := ending.FindStringIndex(line); at != nil {
			line = line[:at[0]]
		}
		var args []string
		for word := range strings.FieldsSeq(line) {
			if word = strings.Trim(word, "[](),;:'\"“”（）"); word != "" && !dots.MatchString(word) {
				args = append(args, strings.TrimSuffix(word, "."))
			}
		}
		all = append(all, args)
	}
	return all
}

// wrong says what is not known about the arguments of a command, or "".
func (all trees) wrong(args []string) string {
	cmd := all[index.Program(args)]
	rest := args
	for len(rest) > 0 {
		at := slices.IndexFunc(cmd.Below, func(c command.Tree) bool { return path.Base(strings.ReplaceAll(c.Path, " ", "/")) == rest[0] })
		if at < 0 {
			break
		}
		cmd, rest = cmd.Below[at], rest[1:]
	}
	for _, arg := range rest {
		name, isLong := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case cmd.Foreign: // they are another program's
		case isLong && !slices.Contains([]string{"", "help", "lang"}, name) && !slices.ContainsFunc(cmd.Options, func(o command.Option) bool { return o.Name == name }):
			return fmt.Sprintf("grade %s has no option --%s", cmd.Path, name)
		case strings.HasPrefix(arg, "-"):
		case cmd.Path == "":
			if _, err := course.Find(registry.Steps(), arg); err != nil && !placeholder(arg) {
				return fmt.Sprintf("there is no command %s", arg)
			}
			return ""
		case len(cmd.Below) > 0 && !placeholder(arg):
			return fmt.Sprintf("grade %s has no command %s", cmd.Path, arg)
		}
	}
	return ""
}

// trees are the commands of the programs, by program.
type trees map[string]command.Tree

func allTrees(t *testing.T) trees {
	all := trees{"plot": {Path: "plot", Foreign: true}}
	for _, p := range programs {
		all[p] = tree(t, p)
	}
	return all
}

// placeholder reports whether a word stands for an argument, or ends a command.
func placeholder(word string) bool {
	return word == "all" || strings.ContainsAny(word, "N|%") || strings.ToUpper(word) == word || regexp.MustCompile(`^\w+-\w+$|^step\d\d[a-g]$|^step47$`).MatchString(word)
}

// Every command that a text of the kit names is one, with its options.
func TestCommandsInTexts(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	n, all := 0, allTrees(t)
	err = filepath.WalkDir(kit.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && slices.Contains([]string{".git", "testdata", "runs", "out", ".stubformer"}, d.Name()) {
				return fs.SkipDir
			}
			return err
		}
		if !slices.Contains([]string{".md", ".go", ".json", ".sh", ".yml", ".yaml", ".ipynb"}, filepath.Ext(path)) ||
			strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "steps") {
			return nil
		}
		data, err := os.ReadFile(path)
		for _, args := range commands(string(data)) {
			if n++; all.wrong(args) != "" {
				name, _ := filepath.Rel(kit.Root, path)
				t.Errorf("%s: grade %s: %s", name, strings.Join(args, " "), all.wrong(args))
			}
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, n, 500)
	for _, bad := range []string{"`grade trian`", "`grade bench lader`", "`grade train --stpes 5`", "`grade step99`", "go run ./cmd/grade class x --jbs 2"} {
		require.NotEmpty(t, all.wrong(commands(bad)[0]), bad)
	}
}
