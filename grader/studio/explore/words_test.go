package explore

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

// The page says what words has, all of it, and in every language with the same
// arguments. That nothing lacks a translation is for TestCatalogue of cmd/grade.
func TestWords(t *testing.T) {
	said := map[string]bool{}
	quoted := regexp.MustCompile(`(?:data-say|data-label)="(\w+)"|\bsay\(\s*"(\w+)"`)
	for _, name := range append(slices.Clone(scripts), "index.html") {
		text, err := read(name)
		require.NoError(t, err)
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			said[m[1]+m[2]] = true
		}
	}
	for _, key := range []string{"auto", "light", "dark", "ffn", "attentionPart", "looked", "lookedHere"} { // of what is chosen
		said[key] = true
	}
	argument := regexp.MustCompile(`\{\d\}`)
	english := words(lang.Printer{})
	require.ElementsMatch(t, slices.Collect(maps.Keys(english)), slices.Collect(maps.Keys(said)))
	chinese, err := lang.For("zh")
	require.NoError(t, err)
	translated := words(chinese)
	for key, sentence := range english {
		require.ElementsMatch(t, argument.FindAllString(sentence, -1), argument.FindAllString(translated[key], -1), key)
	}
}
