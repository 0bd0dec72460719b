package swiglu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// TestWorkedExample holds the numbers of the lesson, steps/step05_swiglu/README.md.
// The products are taken from reference/tensor, so that it needs no earlier step.
func TestWorkedExample(t *testing.T) {
	x := tensor.From([]float32{1, 2}, 1, 2)
	w1 := tensor.From([]float32{1, 1, 0, -0.5}, 2, 2)
	w2 := tensor.From([]float32{1, 2, 0, 1}, 2, 2)
	w3 := tensor.From([]float32{2, 0, 1, 0.5}, 2, 2)
	gate, act, up, hidden, y := tensor.New(1, 2), tensor.New(1, 2), tensor.New(1, 2), tensor.New(1, 2), tensor.New(1, 2)

	forward := func() {
		tensor.Mul(gate.Matrix(), x.Matrix(), w1.Matrix().T())
		tensor.Mul(up.Matrix(), x.Matrix(), w3.Matrix().T())
		SiLU(act.Data, gate.Data)
		for i, a := range act.Data {
			hidden.Data[i] = a * up.Data[i]
		}
		tensor.Mul(y.Matrix(), hidden.Matrix(), w2.Matrix().T())
	}
	forward()
	require.Equal(t, "[3 -1] [2.8577 -0.2689] [2 2]", fmt.Sprintf("%v %.4f %v", gate.Data, act.Data, up.Data))
	require.Equal(t, "[5.7154 -0.5379] [4.6397 -0.5379]", fmt.Sprintf("%.4f %.4f", hidden.Data, y.Data))

	t.Run("backward", func(t *testing.T) {
		dHidden := []float32{1, 3}
		dUp := []float32{dHidden[0] * act.Data[0], dHidden[1] * act.Data[1]}
		dAct := []float32{dHidden[0] * up.Data[0], dHidden[1] * up.Data[1]}
		slope, dGate := make([]float32, 2), make([]float32, 2)
		SiLUBackward(slope, gate.Data, []float32{1, 1})
		SiLUBackward(dGate, gate.Data, dAct)
		require.Equal(t, "[2.8577 -0.8068] [2 6]", fmt.Sprintf("%.4f %v", dUp, dAct))
		require.Equal(t, "[1.0881 0.0723] [2.1762 0.4340]", fmt.Sprintf("%.4f %.4f", slope, dGate))

		dx := tensor.New(1, 2)
		tensor.Mul(dx.Matrix(), tensor.From(dGate, 1, 2).Matrix(), w1.Matrix())
		require.Equal(t, "[2.1762 1.9592]", fmt.Sprintf("%.4f", dx.Data))
		tensor.MulAdd(dx.Matrix(), tensor.From(dUp, 1, 2).Matrix(), w3.Matrix())
		require.Equal(t, "[7.0848 1.5558]", fmt.Sprintf("%.4f", dx.Data))
	})
	t.Run("a nudge of x", func(t *testing.T) {
		loss := func(x0 float32) float32 { // a loss whose gradient with respect to y is dy = (1, 1)
			x.Data[0] = x0
			forward()
			return y.Data[0] + y.Data[1]
		}
		require.Equal(t, "4.03116 4.17286", fmt.Sprintf("%.5f %.5f", loss(0.99), loss(1.01)))
	})
}

func TestDFFOfTheLesson(t *testing.T) {
	for dModel, want := range map[int]int{8: 64, 36: 128, 128: 320, 512: 1344, 768: 2048, 4096: 10944} {
		require.Equal(t, want, DFF(dModel), "DFF(%d)", dModel)
	}
}
