package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

var missingFile = flag.String("missing", "", "write what has no translation yet to this file, as JSON to be filled in")

// catalogues is where the translations lie.
var catalogues = filepath.Join("..", "..", "grader", "lang", "zh")

// The two languages must have the same keys: what the code and the course say
// has a translation, every translation is of something that is said, and both
// take the same arguments.
func TestCatalogue(t *testing.T) {
	said := said(t)
	translated := readCatalogues(t)
	missing := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(said)) {
		chinese, ok := translated[key]
		switch {
		case !ok && hasWords(key):
			missing[key] = ""
			t.Errorf("%s: no translation of %q", said[key].where, key)
		case ok && said[key].format:
			require.Equal(t, verbs(key), verbs(chinese), "the arguments of %q and %q", key, chinese)
			fallthrough
		case ok:
			require.Equal(t, edges(key), edges(chinese), "the line breaks around %q and %q", key, chinese)
		}
	}
	for key := range translated {
		if _, ok := said[key]; !ok {
			t.Errorf("a translation of what nobody says: %q", key)
		}
	}
	if *missingFile != "" {
		text, err := json.MarshalIndent(missing, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(*missingFile, text, 0o644))
	}
}

// key says where a text is said, and whether it is a format.
type key struct {
	where  string
	format bool
}

// said returns everything that can be said, by its English.
func said(t *testing.T) map[string]key {
	all := map[string]key{}
	for _, s := range registry.Steps() {
		add := func(text string) { all[text] = key{where: s.ID} }
		add(s.Title)
		for _, c := range s.Checks {
			add(c.Title)
		}
		for _, p := range s.Parts {
			add(p.Title)
		}
		for _, h := range s.Hints {
			add(h.Text)
		}
		known, err := diagnose.Load(fixtures.Mistakes, s.Folder)
		require.NoError(t, err)
		for _, w := range known.Words {
			add(w.Title)
			add(w.Hint)
		}
	}
	for _, kind := range []verdict.Kind{verdict.NotFinite, verdict.InputChanged, verdict.Panic} {
		for _, h := range course.HintsOn(kind) {
			all[h.Text] = key{where: string(kind)}
		}
	}
	for _, program := range programs {
		visit(tree(t, program), func(cmd command.Tree) {
			add := func(text string) { all[text] = key{where: program + ": grade " + cmd.Path} }
			add(cmd.Short)
			add(cmd.Long)
			for _, o := range cmd.Options {
				add(o.Usage)
			}
		})
	}
	all["this help"] = key{where: "grade --help"}
	for _, g := range index.Groups() {
		all[string(g)+":"] = key{where: "grade --help"}
	}
	delete(all, "")
	for _, dir := range []string{"grader", "cmd"} {
		for _, folder := range goFolders(t, filepath.Join("..", "..", dir)) {
			for text, k := range literals(t, folder) {
				all[text] = k
			}
		}
	}
	return all
}

// goFolders returns the folders below root whose Go files are part of the program.
func goFolders(t *testing.T, root string) []string {
	var folders []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case d.Name() == "testdata" || path == catalogues:
			return fs.SkipDir
		}
		folders = append(folders, path)
		return nil
	})
	require.NoError(t, err)
	return folders
}

// readCatalogues reads all translations; no key may stand in two files.
func readCatalogues(t *testing.T) map[string]string {
	files, err := filepath.Glob(filepath.Join(catalogues, "*.json"))
	require.NoError(t, err)
	all := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		one := map[string]string{}
		require.NoError(t, json.Unmarshal(data, &one), file)
		for english, chinese := range one {
			require.NotContains(t, all, english, "%s: stands in another catalogue too", file)
			require.NotEmpty(t, chinese, "%s: %s", file, english)
			all[english] = chinese
		}
	}
	return all
}

// verb matches one verb of a format, with the number of its argument.
var verb = regexp.MustCompile(`%[-+# 0]*(?:\d+)?(?:\.\d+)?(?:\[(\d+)\])?([a-zA-Z%])`)

// verbs returns what a format does with each of its arguments: {"1": "s"}.
func verbs(format string) map[string]string {
	all, next := map[string]string{}, 0
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		number, letter := m[1], m[2]
		if letter == "%" {
			continue
		}
		if number == "" {
			next++
			number = fmt.Sprint(next)
		} else {
			fmt.Sscan(number, &next)
		}
		if letter == "w" {
			letter = "v"
		}
		all[number] = letter
	}
	return all
}

// edges returns the white space before and behind a text.
func edges(text string) [2]string {
	inner := strings.Trim(text, "\n\t")
	before, behind, _ := strings.Cut(text, inner)
	return [2]string{before, behind}
}

// hasWords reports whether a text has anything to translate.
func hasWords(text string) bool {
	return strings.ContainsFunc(verb.ReplaceAllString(text, ""), func(r rune) bool { return r >= 'A' && r <= 'z' })
}

func TestVerbs(t *testing.T) {
	require.Equal(t, map[string]string{"1": "s", "2": "d", "3": "v"}, verbs("%s: %3d of 100 %% %w"))
	require.Equal(t, verbs("%s in %q"), verbs("%[2]q 中的 %[1]s"))
	require.NotEqual(t, verbs("%s"), verbs("%d"))
	require.NotEqual(t, verbs("%s"), verbs("%s %s"))
	require.False(t, hasWords("%s: %-3d (%q) √"))
	require.True(t, hasWords("%s is"))
}

// A translation that is missing is said in English, so that nothing is lost.
func TestFallsBackToEnglish(t *testing.T) {
	chinese, err := lang.For("zh")
	require.NoError(t, err)
	require.Equal(t, "nobody translates 7 of these", chinese.Say("nobody translates %d of these", 7))
}
