package mutate

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/mutant"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/kernel"
)

// mechanicalTime ends a mutant that loops for ever. A right answer takes some
// milliseconds.
const mechanicalTime = 4 * time.Second

// equivalents returns the mutants of a step that change no result, each with the
// reason: the lines of the file equivalent.txt beside its mistakes, if there is one. The
// mutant "any" stands for all of a function.
func equivalents(kit *workspace.Kit, step *course.Step) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(kit.Root, "grader", "course", step.Folder, mistake.Folder, "equivalent.txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if mutant, reason, ok := strings.Cut(strings.TrimSpace(line), " # "); ok {
			reasons[mutant] = reason
		}
	}
	return reasons, nil
}

// Mechanical returns the mechanical mutants of the steps' solutions, to be run.
// Those that change no result, according to the step's equivalent.txt, are marked
// so. Stale are the lines of these files for mutants that do not exist. Code
// that this machine does not run is left out. The seed is that of the fresh cases.
func Mechanical(kit *workspace.Kit, steps []*course.Step, seed uint64) (jobs []Result, stale []string, err error) {
	for _, s := range steps {
		reasons, err := equivalents(kit, s)
		if err != nil {
			return nil, nil, err
		}
		all, err := mutants(kit, s)
		if err != nil {
			return nil, nil, err
		}
		exists := map[string]bool{}
		for _, m := range all {
			of := family(m)
			name, any := of+" "+title(m), of+" any"
			exists[name], exists[any] = true, true
			if elsewhere(m) {
				continue
			}
			jobs = append(jobs, Result{
				Step: s, Mistake: mistake.Mistake{ID: of, Title: title(m), Invisible: cmp.Or(reasons[name], reasons[any])}, Version: of,
				Overlay: map[string][]byte{s.Folder + "/" + m.File: m.Text}, seed: seed, mechanical: true, brief: true,
			})
		}
		for name := range reasons {
			if !exists[name] {
				stale = append(stale, s.ID+" "+name)
			}
		}
	}
	slices.Sort(stale)
	return jobs, stale, nil
}

// elsewhere reports whether a mutant lies in code that other processors run and
// this one does not: the names of step 11's vectorised functions end with the
// size of their registers.
func elsewhere(m mutant.Mutant) bool {
	if m.File != "micro_simd.go" {
		return false
	}
	switch kernel.Best().Name {
	case "avx512":
		return strings.HasSuffix(m.Function, "256")
	case "avx2":
		return strings.HasSuffix(m.Function, "512")
	}
	return true
}

// likeliest puts the checks that are called like the mutant's file first.
func likeliest(checks []course.Check, file string) {
	about, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	first(checks, func(c course.Check) bool { return slices.Contains(strings.Split(c.ID, "."), about) })
}
