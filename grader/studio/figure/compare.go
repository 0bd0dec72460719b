package figure

import (
	"math"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// Variant is a model that was trained with several seeds.
type Variant struct {
	Name string
	Runs []Run
}

// Variants puts runs that are called the same but for their seed, as grade compare calls them,
// together, in the order in which they come.
func Variants(runs []Run) (all []Variant) {
	at := map[string]int{}
	for _, r := range runs {
		name := strings.TrimSuffix(r.Name, "-"+strconv.FormatUint(r.Config.Seed, 10))
		i, known := at[name]
		if !known {
			i, at[name] = len(all), len(all)
			all = append(all, Variant{Name: name})
		}
		all[i].Runs = append(all[i].Runs, r)
	}
	return all
}

// Last returns the mean of the last validation losses that all runs have, and the smallest
// and the largest of them; NaN if there are none.
func (v Variant) Last() (mean, low, high float64) {
	last := v.mean()
	if len(last.X) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	step := last.X[len(last.X)-1]
	low, high = math.Inf(1), math.Inf(-1)
	for _, r := range v.Runs {
		loss := validations(r)[step]
		low, high = min(low, loss), max(high, loss)
	}
	return last.Y[len(last.Y)-1], low, high
}

// mean is the mean of the validation losses, at the steps that all runs have come to.
func (v Variant) mean() chart.Line {
	line := chart.Line{Name: v.Name, Dots: true}
	for _, s := range v.Runs[0].Steps {
		sum, n := 0.0, 0
		for _, r := range v.Runs {
			if loss, ok := validations(r)[float64(s.Step)]; ok {
				sum, n = sum+loss, n+1
			}
		}
		if n == len(v.Runs) {
			line.Add(float64(s.Step), sum/float64(n))
		}
	}
	return line
}

// validations are a run's validation losses by step.
func validations(r Run) map[float64]float64 {
	all := map[float64]float64{}
	for _, s := range r.Steps {
		if s.ValidationLoss != nil {
			all[float64(s.Step)] = *s.ValidationLoss
		}
	}
	return all
}

// Compare shows how variants of a model learn: for each the validation loss of every seed,
// pale, and before them their mean.
func Compare(p lang.Printer, runs ...Run) (*chart.Chart, error) {
	panel := chart.Panel{X: steps(p, runs), Y: logarithmic(p, p.Say("loss (nats per token)"))}
	for _, v := range Variants(runs) {
		mean := v.mean()
		if len(mean.X) == 0 {
			return nil, nothing(v.Runs[0])
		}
		for _, r := range v.Runs {
			own := chart.Line{Faint: true, Tint: true}
			for _, s := range r.Steps {
				if s.ValidationLoss != nil {
					own.Add(float64(s.Step), *s.ValidationLoss)
				}
			}
			panel.Lines = append(panel.Lines, own)
		}
		panel.Lines = append(panel.Lines, mean)
	}
	if floorOf(runs) > 0 { // it is not drawn: far below, it would press the curves together
		panel.Y = logarithmic(p, p.Say("loss (nats per character)"))
	}
	c := chartOf(&panel, p, p.Say("Validation losses of variants"), runs)
	c.Subtitle = p.Say("each seed, and the mean of the seeds")
	return c, nil
}
