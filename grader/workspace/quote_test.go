package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A crash shows the line of the student's own code that it happened in.
func TestQuote(t *testing.T) {
	const one, two = "step01_one", "step02_two"
	const ofTwo = "reference/tensor/tensor.go:98 (*Tensor).Row\nsteps/step01_one/one.go:3 Name\nsteps/step02_two/two.go:2 New"
	k := newKit(t, files{"steps/step01_one/one.go": "package one\n\n// own\n", "steps/step02_two/two.go": "package two\n// two\n"})
	laid := map[string][]byte{"step02_two/two.go": []byte("package two\n// laid over\n")}
	for _, c := range []struct {
		name  string
		build Build
		trace string
		want  string
	}{
		{"innermost of one's own", Build{Step: two}, ofTwo, "  1 | package one\n  2 |\n> 3 | // own"},
		{"not the solution of an earlier step", Build{Step: two, Sources: map[string]Source{one: Solutions()}}, ofTwo, "  1 | package two\n> 2 | // two"},
		{"what lies over it", Build{Step: two, Sources: map[string]Source{one: Solutions(), two: Solutions()}, Overlay: laid}, ofTwo, "  1 | package two\n> 2 | // laid over"},
		{"no frame", Build{Step: two}, "reference/tensor/tensor.go:98 (*Tensor).Row", ""},
		{"no such line", Build{Step: two}, "steps/step02_two/two.go:20 New", ""},
		{"no such file", Build{Step: two}, "steps/step02_two/three.go:2 New", ""},
		{"no such step", Build{Step: two}, "steps/step09_x/x.go:2 New", ""},
		{"a line without end", Build{Step: two}, "steps/step02_two/two.go:99999999999999999999 New", ""},
		{"a way out", Build{Step: two}, "steps/step02_two/../../go.mod:1 New\nsteps/../go.mod:1 New", ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, k.Quote(c.build, c.trace)) })
	}
}
