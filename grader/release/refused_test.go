package release

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

func TestWhatIsRefused(t *testing.T) {
	kit, full := here(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "mine.txt"), nil, 0o644))
	steps := course.Steps()
	for _, tt := range []struct {
		name, dir string
		steps     []*course.Step
		says      string
	}{
		{"a step without what it needs", filepath.Join(full, "new"), steps[4:5], "step05 calls the code of step02, which is not among the steps"},
		{"no steps", filepath.Join(full, "new"), nil, "at least one step"},
		{"a folder that holds something", full, steps, "is not empty"},
		{"inside the kit", filepath.Join(kit.Root, "students"), steps, "lies in the kit itself"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorContains(t, Write(t.Context(), kit, tt.dir, Options{Steps: tt.steps}), tt.says)
		})
	}
	require.Equal(t, map[string][]byte{"mine.txt": {}}, filesIn(t, full), "nothing was written")
}

func TestPrune(t *testing.T) {
	const text = "# Kit\n\nSee [the lesson](steps/a.md) and [docs](https://x.org/gone).\n\n## Answers\n\nThey are in [there](gone/b.md).\n\n" +
		"## Folders\n\n| folder | what |\n|---|---|\n| `steps/` | stubs |\n| `gone/` | answers |\n\n```\n[x](gone/in/code.md) stays out too\n```\n"
	require.Equal(t, "# Kit\n\nSee [the lesson](steps/a.md) and [docs](https://x.org/gone).\n\n"+
		"## Folders\n\n| folder | what |\n|---|---|\n| `steps/` | stubs |\n", prune(text, func(p string) bool { return !strings.HasPrefix(p, "gone") }))
}

// forward is a subject that knows everything and notes what it is asked.
type forward struct{ asked map[string]bool }

func (f forward) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	f.asked[function] = true
	return oracle.Eval(function, in)
}

// What is left of a forward-only course asks for no backward pass.
func TestForwardOnly(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	subject := forward{map[string]bool{}}
	for _, s := range course.ForwardOnly(course.Steps()) {
		require.NotEmpty(t, s.Checks, s.ID)
		exam := &course.Exam{Step: s, Subject: subject, Fixtures: set, Seed: 1}
		for _, c := range s.Checks {
			_ = exam.Run(t.Context(), c) // what the oracle cannot answer fails
		}
	}
	require.Greater(t, len(subject.asked), 20)
	for function := range subject.asked {
		require.NotRegexp(t, `backward|^train|replica`, function)
	}
}
