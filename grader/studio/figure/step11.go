package figure

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strconv"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/reference/wire"
)

// matmul measures matrix products of square matrices on one core: three plain
// loops, the solution's blocked product and the student's own, against its peak.
func matmul(ctx context.Context, o Options) (*chart.Chart, error) {
	impls := []grader.Impl{grader.Solutions}
	if o.Impl == grader.Mine {
		impls = []grader.Impl{grader.Mine}
		if folders, err := o.Kit.Folders(); err == nil && o.Kit.HasSolutions(folders[len(folders)-1]) {
			impls = append(impls, grader.Solutions)
		}
	}
	p := chart.Panel{X: logarithmic(o.Lang, o.Lang.Say("size n of n × n matrices")), Y: logarithmic(o.Lang, "GFLOP/s")}
	var naive *chart.Line
	var peak float64
	for _, impl := range impls {
		o.Impl = impl
		baseline, own, err := o.race(ctx, &peak)
		if err != nil {
			return nil, err
		}
		p.Lines = append(p.Lines, own)
		naive = &baseline
	}
	p.Lines = append(p.Lines, *naive)
	for _, n := range naive.X {
		p.X.Ticks = append(p.X.Ticks, chart.Tick{At: n, Label: strconv.Itoa(int(n))})
	}
	p.Marks = []chart.Mark{{Label: o.Lang.Say("peak of one core: %.0f", peak), At: peak}}
	return &chart.Chart{Title: o.Lang.Say("Matrix product: speed by size"), Columns: 1, Panels: []chart.Panel{p},
		Subtitle: o.Lang.Say("float32, one core, %s/%s, best of several rounds", runtime.GOOS, runtime.GOARCH)}, nil
}

// race measures the product of step 11 and, in the same process and in turn,
// three plain loops. Between the sizes it measures a core's peak in GFLOP/s
// and keeps the largest, for a machine is not equally fast at all times.
func (o Options) race(ctx context.Context, peak *float64) (naive, own chart.Line, err error) {
	c, err := o.open(ctx, "step11")
	if err != nil {
		return naive, own, err
	}
	defer c.close()
	naive = chart.Line{Name: o.Lang.Say("three plain loops"), Dots: true, Dashed: true}
	own = chart.Line{Name: c.owner(), Dots: true}
	rng := rand.New(rand.NewPCG(11, 1))
	const work = 1 << 26 // multiplications in all rounds of a size, but at least five rounds
	for _, n := range []int{16, 32, 64, 128, 256, 512} {
		*peak = max(*peak, train.CorePeak()/1e9)
		rounds := max(5, min(200, work/(n*n*n)))
		out, err := c.call(ctx, "matmul.speed", wire.Values{"a": course.Normal(rng, 1, rounds, n, n), "b": course.Normal(rng, 1, rounds, n, n), "plain": wire.Int(1)})
		if err != nil {
			return naive, own, err
		}
		operations := 2 * float64(n) * float64(n) * float64(n)
		for line, name := range map[*chart.Line]string{&naive: "baseline", &own: "own"} {
			seconds := out[name].F64
			if len(seconds) != 1 || !(seconds[0] > 0) {
				return *line, own, lang.Errorf("matmul.speed measured no time for n = %d", n)
			}
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, operations/seconds[0]/1e9)
		}
	}
	return naive, own, nil
}
