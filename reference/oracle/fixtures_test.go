package oracle_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// rounding is what storing a result as float32 may change, with room for the
// last bit: PyTorch's truth is computed in float64, as the oracle's is.
const rounding = 1. / (1 << 22)

// uncovered names the functions of the fixtures that the oracle does not
// answer, and why.
func uncovered() map[string]string {
	const step11 = "step 11 trains the model: it has no layer of its own"
	return map[string]string{
		"matmul": step11, "adamw.run": step11, "schedule": step11, "clip": step11, "train.trajectory": step11,
	}
}

// Every result of every fixture must be what Eval returns. A function that has
// fixtures is answered by Eval or stands in uncovered, not both.
func TestOracleAgreesWithPyTorch(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	require.NotEmpty(t, set.Functions())
	covered := oracle.Functions()
	for _, function := range set.Functions() {
		if _, skip := uncovered()[function]; skip {
			require.NotContains(t, covered, function, "it is answered: take it off the list")
			continue
		}
		for _, c := range set.Cases(function) {
			t.Run(function+"/"+c.Name, func(t *testing.T) {
				got, err := oracle.Eval(function, c.In)
				require.NoError(t, err)
				require.Equal(t, slices.Sorted(maps.Keys(c.Out)), slices.Sorted(maps.Keys(got)), "names of the results")
				for name, want := range c.Out {
					require.NoError(t, compare(got[name], want), name)
				}
			})
		}
	}
}

// compare returns an error unless got has the shape of want and its values:
// exactly for integers and masks, otherwise
//
//	|got − want| ≤ rounding·(|want| + rms(want))
//
// with rms over the finite wanted values, or 1 where that is 0. NaN meets NaN,
// and ±Inf a value that float32 rounds to the same Inf.
func compare(got, want wire.Value) error {
	if !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	if want.DType == wire.I64 || want.DType == wire.Bool {
		if got.DType != want.DType || !slices.Equal(got.I64, want.I64) || !slices.Equal(got.Bool, want.Bool) {
			return fmt.Errorf("got %v %v%v, want %v %v%v", got, got.I64, got.Bool, want, want.I64, want.Bool)
		}
		return nil
	}
	wanted := reals(want)
	scale := rms(wanted)
	for i, w := range wanted {
		g := got.F64[i]
		bound := rounding * (math.Abs(w) + scale)
		same := math.IsNaN(g) && math.IsNaN(w) || float64(float32(g)) == w
		if !same && !(math.Abs(g-w) <= bound) {
			return fmt.Errorf("element %d: got %.9g, want %.9g ± %.1e", i, g, w, bound)
		}
	}
	return nil
}

// reals returns the elements of a real value in float64.
func reals(v wire.Value) []float64 {
	if v.DType == wire.F64 {
		return v.F64
	}
	wide := make([]float64, len(v.F32))
	for i, x := range v.F32 {
		wide[i] = float64(x)
	}
	return wide
}

func rms(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum, n = sum+v*v, n+1
		}
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum / n)
}
