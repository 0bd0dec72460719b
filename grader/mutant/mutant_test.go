package mutant

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every statement that can be changed is, in every way that applies, but for what was
// given.
func TestOf(t *testing.T) {
	mutants, err := Of("f.go", []byte(`package p

func (t *T) f(a, b int) int {
	if a < b {
		a += 3
	}
	t.kept, b = a, b
	g()
	panic(-a)
}

func given() int { return 7 }
`), []byte("package p\n\nfunc given() int { return 7 }\n"))
	require.NoError(t, err)
	var all []string
	for _, m := range mutants {
		require.Equal(t, "f", m.Function)
		all = append(all, fmt.Sprintf("%d:%d %q %q %v", m.Line, m.Column, m.Old, m.New, m.Keeps))
	}
	require.Equal(t, []string{
		`4:7 "<" "<=" false`, `4:7 "<" ">=" false`, `5:5 "+=" "-=" false`, `5:5 "+=" "=" false`, `5:3 "a += 3" "" false`, `5:8 "3" "4" false`,
		`7:2 "t.kept, b = a, b" "" true`, `8:2 "g()" "" false`, `9:2 "panic(-a)" "" false`,
	}, all)
	require.Contains(t, string(mutants[6].Text), "\n\tif false { t.kept, b = a, b }\n\tg()\n")
	require.Equal(t, "if a < b {", mutants[0].Source)

	_, err = Of("f.go", []byte("package"), nil)
	require.ErrorContains(t, err, "f.go:1:8")
}
