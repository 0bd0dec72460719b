package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Speedup measures how many times faster than three loops the product of the steps
// multiplies two square matrices on one core: the median of some rounds. It is a
// *NoAnswerError if the product is not written.
func Speedup(ctx context.Context, kit *workspace.Kit, source workspace.Source) (times float64, err error) {
	tmp, err := scratch.New()
	if err != nil {
		return 0, err
	}
	defer tmp.Remove()
	c := climb{kit: kit, source: source, dir: tmp.Path}
	worker, err := c.build(ctx, "worker", nil)
	if err != nil {
		return 0, err
	}
	p, err := Start("steps", []string{"GOMAXPROCS=1"}, worker)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	const size, rounds = 512, 3
	var ratios []float64
	for range rounds {
		var seconds [2]float64
		for i, impl := range []string{"rung-naive", "steps"} {
			if seconds[i], err = p.Ask(fmt.Sprintf("gemm %s 0 0 %d %d %d 0 0.05", impl, size, size, size)); err != nil {
				return 0, err
			}
		}
		ratios = append(ratios, seconds[0]/seconds[1])
	}
	return Median(ratios), nil
}
