package training

import (
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// truths answer what the oracle does not know: products, and what is not a function
// of tensors.
func truths() map[string]course.Solver {
	return map[string]course.Solver{
		"matmul": productTruth, "matmul.naive": productTruth, "matmul.procs": productTruth,
		"schedule": scheduleTruth, "clip": clipTruth,
		"adamw.run": func(in wire.Values) (wire.Values, error) { return adamTruth(in, adamForm{}), nil },
	}
}

// derived are truths that are made of the oracle's gradients of a model: what several
// updates lead to.
func derived() map[string]func(course.Oracle) course.Solver {
	trajectory := func(ask course.Oracle) course.Solver {
		return func(in wire.Values) (wire.Values, error) { return trajectoryTruth(ask, in, adamForm{}) }
	}
	return map[string]func(course.Oracle) course.Solver{
		"matmul.model": func(ask course.Oracle) course.Solver {
			return func(in wire.Values) (wire.Values, error) { return ask("lm.backward", in) }
		},
		"train.trajectory": trajectory, "train.shards": trajectory,
	}
}

// productTruth is matmul in float64.
func productTruth(in wire.Values) (wire.Values, error) {
	c, k := in["c_before"].Shape, in["a"].Shape[1]
	if in["trans_a"].I64[0] != 0 {
		k = in["a"].Shape[0]
	}
	s := sizes{c[0], c[1], k}
	sums, _ := s.product(in, nil)
	return wire.Values{"c": wire.Floats(sums, c...)}, nil
}

// scheduleTruth is schedule in float64.
func scheduleTruth(in wire.Values) (wire.Values, error) {
	rates := wire.Floats(nil, in["t"].Shape...)
	for _, t := range in["t"].I64 {
		rates.F64 = append(rates.F64, rate(int(t), in["lr_max"].F64[0], in["lr_min"].F64[0], int(in["warmup"].I64[0]), int(in["cosine_end"].I64[0])))
	}
	return wire.Values{"lr": rates}, nil
}

// clipTruth is clip in float64.
func clipTruth(in wire.Values) (wire.Values, error) {
	names := []string{"g1", "g2", "g3"}
	var grads [][]float64
	for _, name := range names {
		grads = append(grads, wide(in[name]))
	}
	want := wire.Values{"norm": wire.Float(clip(grads, in["max_norm"].F64[0]))}
	for i, name := range names {
		want[name] = wire.Floats(grads[i], in[name].Shape...)
	}
	return want, nil
}
