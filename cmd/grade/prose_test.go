package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
func wrong(args []string) string {
	cmd, rest, err := newRoot().Find(args)
	if err != nil {
		return err.Error()
	}
	for _, arg := range rest {
		name, isLong := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case cmd.DisableFlagParsing: // they are another program's
		case isLong && !slices.Contains([]string{"", "help", "lang"}, name) && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil:
			return fmt.Sprintf("%s has no option --%s", cmd.CommandPath(), name)
		case strings.HasPrefix(arg, "-"):
		case cmd.Parent() == nil:
			if _, err := course.Find(registry.Steps(), arg); err != nil && !placeholder(arg) {
				return fmt.Sprintf("there is no command %s", arg)
			}
			return ""
		case len(cmd.Commands()) > 0 && !placeholder(arg):
			return fmt.Sprintf("%s has no command %s", cmd.CommandPath(), arg)
		}
	}
	return ""
}

// placeholder reports whether a word stands for an argument, or ends a command.
func placeholder(word string) bool {
	return word == "all" || strings.ContainsAny(word, "N|%") || strings.ToUpper(word) == word || regexp.MustCompile(`^\w+-\w+$|^step\d\d[a-g]$|^step47$`).MatchString(word)
}

// Every command that a text of the kit names is one, with its options.
func TestCommandsInTexts(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	n := 0
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
			if n++; wrong(args) != "" {
				name, _ := filepath.Rel(kit.Root, path)
				t.Errorf("%s: grade %s: %s", name, strings.Join(args, " "), wrong(args))
			}
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, n, 500)
	for _, bad := range []string{"`grade trian`", "`grade bench lader`", "`grade train --stpes 5`", "`grade step99`", "go run ./cmd/grade class x --jbs 2"} {
		require.NotEmpty(t, wrong(commands(bad)[0]), bad)
	}
}
