package release

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

func TestWhatIsRefused(t *testing.T) {
	kit, full := here(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "mine.txt"), nil, 0o644))
	steps := registry.Steps()
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
	there := func(p string) bool { return !strings.HasPrefix(p, "gone") }
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":                 {"# A\n\n\nb\n", "# A\n\n\nb\n"},
		"a paragraph":             {"a\n\n[b](gone/b.md)\nc\n\nd\n", "a\n\nd\n"},
		"a link elsewhere":        {"[a](https://x.org/gone) [b](#gone) [c](c.md#d)\n", "[a](https://x.org/gone) [b](#gone) [c](c.md#d)\n"},
		"a link with an anchor":   {"a\n\n[b](gone/b.md#c)\n", "a\n"},
		"a section":               {"# A\n\nb\n\n## C\n\n[d](gone)\n\n## E\n\nf\n", "# A\n\nb\n\n## E\n\nf\n"},
		"a section of sections":   {"# A\n\n## B\n\n### C\n\n[d](gone)\n\n## E\n\nf\n", "# A\n\n## E\n\nf\n"},
		"an item":                 {"- a\n- [b](gone)\n- c\n", "- a\n- c\n"},
		"an item and its code":    {"- a\n\n- [b](gone)\n\n  ```\n  x\n  ```\n\n- c\n", "- a\n\n- c\n"},
		"an item of an item":      {"- a\n  - [b](gone)\n  - c\n", "- a\n  - c\n"},
		"an item about a path":    {"- `gone/b` is there\n- see `gone/b`\n", "- see `gone/b`\n"},
		"a row":                   {"| a | b |\n|---|---|\n| `gone` | c |\n| [d](gone) | e |\n| f | g |\n", "| a | b |\n|---|---|\n| f | g |\n"},
		"a table":                 {"# A\n\nx\n\n| a | b |\n|---|---|\n| `gone` | c |\n\ny\n", "# A\n\nx\n\ny\n"},
		"a quotation":             {"> a\n>\n> [b](gone)\n", "> a\n>\n"},
		"a link in code is none":  {"a\n\n```\n[x](gone)\n# B\n```\n\n`[y](gone)`\n", "a\n\n```\n[x](gone)\n# B\n```\n\n`[y](gone)`\n"},
		"a link by its reference": {"a\n\n[b][1]\n\n[1]: gone/b.md\n", "a\n\n[1]: gone/b.md\n"},
		"a command":               {"a\n\nRun `go run ./cmd/grade dev mutate`.\n\nb\n", "a\n\nb\n"},
		"an item with a number":   {"1. a\n2. [b](gone)\n3. c\n\n   d\n4. e\n", "1. a\n2. c\n\n   d\n3. e\n"},
		"an item's command":       {"- a `grade dev x`\n- b\n", "- b\n"},
		"a row's command":         {"| a | b |\n|---|---|\n| c | `grade dev x` |\n| f | g |\n", "| a | b |\n|---|---|\n| f | g |\n"},
		"a block of commands":     {"a\n\n```\ngrade dev x\ngrade y\n```\n\nb\n", "a\n\nb\n"},
		"a picture":               {"a\n\n![b](gone/b.png)\n", "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, string(prune([]byte(tt.text), there, func(code string) bool { return strings.Contains(code, "grade dev") })))
		})
	}
}

// forward is a subject that knows everything and notes what it is asked.
type forward struct{ asked map[string]bool }

func (f forward) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	f.asked[function] = true
	return oracle.Eval(function, in)
}

// What is left of a forward-only course asks for no backward pass.
func TestForwardOnly(t *testing.T) {
	sweep.Only(t)
	set, err := fixtures.Load()
	require.NoError(t, err)
	subject := forward{map[string]bool{}}
	for _, s := range course.ForwardOnly(registry.Steps()) {
		require.NotEmpty(t, s.Checks, s.ID)
		exam := &course.Exam{Step: s, Subject: subject, Fixtures: set, Seed: 1}
		for _, c := range s.Checks {
			_ = exam.Run(t.Context(), c) // what the oracle cannot answer fails
		}
	}
	require.Greater(t, len(subject.asked), 20)
	for function := range subject.asked {
		require.NotRegexp(t, `backward|^train|replica|(flash|window|linattn)\.long`, function)
	}
}
