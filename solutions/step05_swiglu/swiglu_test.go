package swiglu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSiLUOfTheLesson holds its table and the slopes of the worked example.
func TestSiLUOfTheLesson(t *testing.T) {
	x := []float32{-10, -4, -1.278, -1, 0, 1, 3, 10}
	y, slope, ones := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
	for i := range ones {
		ones[i] = 1
	}
	SiLU(y, x)
	SiLUBackward(slope, x, ones)
	require.Equal(t, "[-0.0005 -0.0719 -0.2785 -0.2689 0.0000 0.7311 2.8577 9.9995]", fmt.Sprintf("%.4f", y))
	require.Equal(t, "[-0.0004 -0.0527 0.0001 0.0723 0.5000 0.9277 1.0881 1.0004]", fmt.Sprintf("%.4f", slope))
}

func TestDFFOfTheLesson(t *testing.T) {
	for dModel, want := range map[int]int{8: 64, 36: 128, 128: 320, 512: 1344, 768: 2048, 4096: 10944} {
		require.Equal(t, want, DFF(dModel), "DFF(%d)", dModel)
	}
}
