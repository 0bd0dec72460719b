package swiglu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step05_swiglu/README.md.
// The network stands on step 02, which the overlay of `grade bench overlay` puts
// there; without it the test is skipped.
func TestWorkedExample(t *testing.T) {
	defer skipUnwritten(t)
	param := func(name string, data ...float32) *tensor.Param {
		return tensor.NewParam(name, tensor.From(data, 2, 2))
	}
	s := New(param("w1", 1, 1, 0, -0.5), param("w2", 1, 2, 0, 1), param("w3", 2, 0, 1, 0.5))
	x := tensor.From([]float32{1, 2}, 1, 2)
	y := s.Forward(x)
	require.Equal(t, "[3 -1] [2.8577 -0.2689] [2 2]", fmt.Sprintf("%v %.4f %v", s.gate.Data, s.act.Data, s.up.Data))
	require.Equal(t, "[5.7154 -0.5379] [4.6397 -0.5379]", fmt.Sprintf("%.4f %.4f", s.hidden.Data, y.Data))

	dx := s.Backward(tensor.From([]float32{1, 1}, 1, 2))
	require.Equal(t, "[2.8577 -0.8068] [2.1762 0.4340]", fmt.Sprintf("%.4f %.4f", s.dUp.Data, s.dGate.Data))
	require.Equal(t, "[7.0848 1.5558]", fmt.Sprintf("%.4f", dx.Data))
	require.Equal(t, "[2.1762 1.9592]", fmt.Sprintf("%.4f", s.W1.Backward(s.dGate).Data)) // dGate·W1, a part of dx

	t.Run("a nudge of x", func(t *testing.T) {
		loss := func(x0 float32) float32 { // a loss whose gradient with respect to y is dy = (1, 1)
			y := s.Forward(tensor.From([]float32{x0, 2}, 1, 2))
			return y.Data[0] + y.Data[1]
		}
		require.Equal(t, "4.03116 4.17286", fmt.Sprintf("%.5f %.5f", loss(0.99), loss(1.01)))
	})
}

// skipUnwritten skips the test if a step below is only a stub.
func skipUnwritten(t *testing.T) {
	switch p := recover().(type) {
	case nil:
	case tensor.NotImplemented:
		t.Skip(p)
	default:
		panic(p)
	}
}

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
