package training

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawsOn trains for many updates at the rate 0 on a text that has two windows, so that a
// loss says how many sequences of its batch are the one: that differs from batch to batch,
// and does not come back.
func drawsOn(e *course.Exam) error {
	const steps, rows = 200, 8
	in, a, b, err := twoWindows(e)
	if err != nil {
		return err
	}
	in["tokens"], in["steps"], in["eval_every"] = in["validation"], wire.Int(steps), wire.Int(0)
	in["batch"], in["shards"] = wire.Int(rows), wire.Int(2)
	out, err := e.Ask("train.run", in)
	if err != nil {
		return err
	}
	losses := out["losses"].F64
	if len(losses) != steps {
		return e.Fails("train.run", in, "losses is %s; want one number for each of %d updates", out["losses"], steps)
	}
	shares := make([]float64, steps) // of the first window, in sequences
	for i, loss := range losses {
		share := (loss - b) / (a - b) * rows
		if shares[i] = math.Round(share); !(math.Abs(share-shares[i]) < 0.05) || shares[i] < 0 || shares[i] > rows {
			return e.Fails("train.run", in,
				"the loss of update %d is %.6f. The text has two windows, whose losses are %.6f and %.6f; want the mean over a batch of %d windows, of which some are the one and some the other",
				i+1, loss, a, b, rows)
		}
	}
	// of so many throws of a fair coin; a sequence that is there twice counts for both
	const want, most = rows / 4.0, rows/4.0 + 1.2 // six standard errors
	if got := variance(shares); got > most {
		return e.Fails("train.run", in,
			"of the %d sequences of a batch, the number that are the first of two windows has the variance %.2f over %d batches; want %.2f: every sequence begins at a place of its own",
			rows, got, steps, want)
	}
	const last = 40 // so many do not come again by chance
	for period := 1; period <= steps-last; period++ {
		if slices.Equal(shares[steps-last:], shares[steps-last-period:steps-period]) {
			return e.Fails("train.run", in, "at the rate 0 the losses repeat after %d updates: draw a new batch for each update", period)
		}
	}
	return nil
}

func variance(x []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
		squares += v * v
	}
	n := float64(len(x))
	return squares/n - (sum/n)*(sum/n)
}
