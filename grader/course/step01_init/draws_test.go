package initializers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	solution "github.com/stubformer/stubformer/solutions/step01_init"
)

// initialised answers the functions of step 01 as the solution does, in this
// process.
type initialised struct{}

func (initialised) Call(_ context.Context, function string, in wire.Values) (out wire.Values, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &verdict.Failure{Kind: verdict.Panic, Message: lang.Raw(fmt.Sprint(p))}
		}
	}()
	number := func(name string) int { return int(in[name].I64[0]) }
	if function == "gain" {
		return wire.Values{"g": wire.Tensor(solution.Gain(number("d")))}, nil
	}
	rng := solution.Rand(uint64(number("seed")), in["name"].Text)
	switch function {
	case "linear.weight":
		return wire.Values{"w": wire.Tensor(solution.LinearWeight(number("d_out"), number("d_in"), rng))}, nil
	case "embedding.weight":
		return wire.Values{"w": wire.Tensor(solution.EmbeddingWeight(number("vocab"), number("d_model"), rng))}, nil
	}
	x := tensor.New(number("n"))
	solution.TruncatedNormal(x.Data, in["sigma"].F64[0], in["cut"].F64[0], rng)
	return wire.Values{"x": wire.Tensor(x)}, nil
}

// Chance must not make right numbers wrong. No statistic may come near to its
// tolerance, which is six standard errors away or more.
func TestRightDrawsAreNeverMarked(t *testing.T) {
	step, err := course.Find(registry.Steps(), "step01")
	require.NoError(t, err)
	set, err := fixtures.Load()
	require.NoError(t, err)
	for seed := range uint64(8) {
		e := &course.Exam{Step: step, Subject: initialised{}, Fixtures: set, Seed: seed}
		for _, c := range step.Checks {
			require.NoError(t, e.Run(t.Context(), c), "seed %d, %s", seed, c.ID)
		}
		require.Greater(t, len(e.Marks), 50)
		for name, m := range e.Marks {
			require.Less(t, m.Distance(m.Want), 0.8, "seed %d, %s", seed, name)
		}
	}
}
