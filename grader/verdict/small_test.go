package verdict

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// What does not fit one line is written so that the two answers stand one above the other.
func TestSmallLines(t *testing.T) {
	x := wire.Float32s([]float32{1, 0}, 2)
	s := &Small{In: []Array{{"x", x}, {"dy", x}}, Output: "dx", Got: wire.Float32s([]float32{2.5, 1}, 2), Want: wire.Float32s([]float32{0.5, 1}, 2)}
	p := lang.Printer{}
	require.Equal(t, []string{"x = [1 0], dy = [1 0]: you gave dx = [2.5 1], want [0.5 1]"}, s.Lines(p, 80))
	require.Equal(t, []string{"x = [1 0], dy = [1 0]", "got   dx = [2.5 1]", "want  dx = [0.5 1]"}, s.Lines(p, 40))
	s.Ended = Panic
	require.Equal(t, "x = [1 0], dy = [1 0]: the same panic; want dx = [0.5 1]", strings.Join(s.Lines(p, 40), " "))
}
