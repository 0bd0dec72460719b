package mutate

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// missed are wrong programs with full marks, and why they may have them.
var missed = map[string]string{
	"step05/silu-got-and-want-exchanged":     "which of the two lengths is got and which is wanted, nobody asks",
	"step07/rank-returned":                   "a ShapeError that is returned and one that is thrown are both a refusal",
	"step03/vocabulary-kept-at-new":          "nobody puts a table of another size in the place of one that New has made",
	"step08/masks-in-a-package-variable":     "two goroutines have to write one map within the same nanoseconds, which no number of calls makes sure",
	"step02/own-param":                       "the tensors are the same, and nobody puts others into the Param that New was given",
	"step08/odd-width-passes":                "heads of an odd width cannot be turned: no rotation is there to make such a layer with",
	"step09/params-rename-the-originals":     "Params is handed out finished, and nothing reads the names that its caller gave",
	"step14/tokens-compared-with-all-others": "New is called once for a vocabulary, and how its time grows with that nobody asks",
	"step14/text-of-training-kept":           "what a tokenizer keeps beside its vocabulary, nobody counts",
	"step14/written-through-a-line-of-64k":   "no vocabulary's file is larger than a megabyte",
	"step12/static-shape":                    "who looks at all the room that there is does so with everything: a static cache is a right one here",
	"step13/causal-map":                      "two goroutines have to write one map within the same nanoseconds, which no number of calls makes sure",
	"step14/scan-for-max":                    "it keeps the counts up to date, and one of the kit's right programs, recounted, looks through all of them, too",
	"step22/attend-gathers-first":            "one of the kit's right programs gathers, too, and what a pool keeps beside its pages nobody asks",
}

// attempts is how often a wrong program is examined that has full marks: two goroutines
// that share what each should have for itself have to meet, and now and then they do not.
const attempts = 3

// TestUnlisted grades programs that were written from the lessons, stubs and
// solutions alone, by authors who had seen neither the checks nor the catalogue:
// wrong ones must be caught, and right ones, however unusual, must have full marks.
// That they fit the solutions is always seen. With SWEEP=1 all are graded, and with
// SWEEP=K/N all right ones and of N wrong ones that follow each other the K-th, from 0.
func TestUnlisted(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	unlisted := filepath.Join(kit.Root, "grader", "testdata", "unlisted")
	var jobs []Result // all in one run, in which no processor waits for the last of a set
	var sets []string
	kinds, counts := map[string]string{}, map[string]int{}
	wrong := 0 // so far, of all sets
	var turn sweep.Turn
	if err := turn.Set(os.Getenv("SWEEP")); err != nil {
		turn = sweep.Turn{} // rather all than none
	}
	for _, number := range []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"} {
		for _, kind := range []string{"wrong", "right"} {
			sets = append(sets, number+"/"+kind)
		}
	}
	for _, set := range sets {
		all, err := Unlisted(kit, filepath.Join(unlisted, set), registry.Steps(), 1)
		require.NoError(t, err)
		require.NotEmpty(t, all, set)
		kinds[set] = path.Base(set)
		for _, job := range all {
			if kinds[set] == "wrong" {
				wrong++
			}
			if kinds[set] == "right" || turn.Takes(wrong) {
				job.brief = true
				job.Mistake.Title = set + ": " + job.Mistake.Title
				jobs = append(jobs, job)
				counts[set]++
			}
		}
	}
	sweep.Only(t)
	slices.SortStableFunc(jobs, func(a, b Result) int { return strings.Compare(a.Step.ID, b.Step.ID) })
	caught := map[string]int{}
	for attempt := 1; len(jobs) > 0; attempt++ {
		var escaped []Result
		require.NoError(t, Run(t.Context(), kit, jobs, func(r Result) {
			id := r.Step.ID + "/" + r.Version
			set, _, _ := strings.Cut(r.Mistake.Title, ": ")
			kind := kinds[set]
			switch {
			case kind == "right" && len(r.Caught) > 0:
				t.Errorf("%s, %s. It is right, and lost points in %v: %s", id, r.Mistake.Title, r.Caught, r.Said)
			case kind == "wrong" && len(r.Caught) == 0 && missed[id] == "" && attempt < attempts:
				escaped = append(escaped, r)
			case kind == "wrong" && len(r.Caught) == 0 && missed[id] == "":
				t.Errorf("%s, %s. %s It has full marks.", id, r.Mistake.Title, r.Mistake.Why)
			case kind == "wrong" && len(r.Caught) > 0 && missed[id] != "":
				t.Errorf("%s is caught, and said to be missed", id)
			}
			if len(r.Caught) > 0 {
				caught[set]++
			}
			if attempt > 1 {
				t.Logf("%s, attempt %d: caught by %v", id, attempt, r.Caught)
			}
		}))
		jobs = escaped
	}
	for _, set := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %d of %d programs are caught", set, caught[set], counts[set])
	}
}
