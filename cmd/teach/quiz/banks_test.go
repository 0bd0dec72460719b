package quiz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/registry"
)

// least is how many questions of a kind a bank has at least.
var least = map[Kind]int{Derivation: 2, Numbers: 3, Break: 2, Oral: 2}

func loaded(t *testing.T) map[string][]Question {
	t.Helper()
	all, err := Load()
	require.NoError(t, err)
	return all
}

// Every step has a bank of ten questions of all kinds, each with a common wrong answer.
func TestBanks(t *testing.T) {
	all := loaded(t)
	var folders []string
	for _, s := range registry.Steps() {
		folders = append(folders, s.Folder)
	}
	require.Subset(t, folders, slices.Collect(maps.Keys(all)))
	for folder, questions := range all {
		require.Len(t, questions, 10, folder)
		count, titles := map[Kind]int{}, map[string]bool{}
		for _, q := range questions {
			count[q.Kind]++
			titles[q.Title] = true
			require.True(t, slices.ContainsFunc(q.Rubric, func(c Criterion) bool { return c.Points == 0 }), "%s: no common wrong answer", q.place)
		}
		require.Len(t, titles, 10, "%s: two questions with one title", folder)
		for kind, n := range least {
			require.GreaterOrEqual(t, count[kind], n, "%s: %s", folder, kind)
		}
	}
}

// seeds is for how many seeds every question is drawn.
const seeds = 50

// For every seed what is worked out by hand agrees with the oracle, stands in the answer,
// and no placeholder is left.
func TestNumbers(t *testing.T) {
	used := map[string]string{}
	for _, questions := range loaded(t) {
		for _, q := range questions {
			texts := map[string]bool{}
			for seed := range uint64(seeds) {
				item, err := q.drawn(seed)
				require.NoError(t, err, "%s, seed %d", q.place, seed)
				whole := fmt.Sprint(item.Text, item.Rubric, item.Answer)
				require.NotContains(t, whole, "{{", q.place)

				texts[item.Text] = true
			}
			if q.Numbers == "" {
				require.Len(t, texts, 1, q.place)
				continue
			}
			require.Greater(t, len(texts), 3, "%s: the numbers hardly change with the seed", q.place)
			require.Empty(t, used[q.Numbers], "%s: drawn for another question too", q.place)
			used[q.Numbers] = q.place
			d, err := drawn(q.Numbers, stream(1, q.Numbers))
			require.NoError(t, err)
			require.NotEmpty(t, d.answers, "%s: nothing is held to the oracle", q.place)
			for _, name := range d.answers {
				require.Contains(t, placeholdersOf(q), name, "%s: an answer that is never given", q.place)
			}
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(draws())), slices.Collect(maps.Keys(used)), "draws that no question uses")
}

// placeholdersOf returns the names that a question's answer and rubric give away, and for each
// number or row of a vector or matrix the name of the whole.
func placeholdersOf(q Question) []string {
	text := q.Answer
	for _, c := range q.Rubric {
		text += c.Text
	}
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		name := strings.Trim(m[1], "()+")
		names = append(names, name, strings.TrimRight(name, "0123456789"))
	}
	return names
}

// A matrix takes several lines, and stands in a block of code, where these stay in place.
func TestMatricesStandInCode(t *testing.T) {
	for _, questions := range loaded(t) {
		for _, q := range questions {
			if q.Numbers == "" {
				continue
			}
			d, err := drawn(q.Numbers, stream(1, q.Numbers))
			require.NoError(t, err)
			for _, text := range []string{q.Text, q.Answer} {
				code := false
				for line := range strings.Lines(text) {
					code = code != strings.HasPrefix(line, "```")
					for _, m := range placeholder.FindAllStringSubmatch(line, -1) {
						value, err := lookUp(m[1], d.values)
						require.NoError(t, err, q.place)
						require.True(t, code || !strings.Contains(value, "\n"), "%s: %s is a matrix outside of a block of code", q.place, m[0])
					}
				}
			}
		}
	}
}
