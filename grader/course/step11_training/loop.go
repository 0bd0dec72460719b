package training

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// loop returns the arguments of a short training run on random tokens.
func loop(e *course.Exam) wire.Values {
	const vocab = 11
	return wire.Values{"vocab_size": wire.Int(vocab), "context": wire.Int(5), "batch": wire.Int(5), "shards": wire.Int(3), "seed": wire.Int(int(e.Rng.Int32())),
		"steps": wire.Int(13), "warmup": wire.Int(4), "lr_max": wire.Float(0.01), "lr_min": wire.Float(0.002),
		"tokens": course.IDs(e.Rng, vocab, 300), "validation": course.IDs(e.Rng, vocab, 90),
		"eval_every": wire.Int(3), "save_every": wire.Int(5), "procs": wire.Int(2), "cut": wire.Int(0)}
}

// loopReports checks what the loop does and when.
func loopReports(e *course.Exam) error {
	in := loop(e)
	out, err := e.Ask("train.run", in)
	if err != nil {
		return err
	}
	const steps = 13
	const sumOfTwo = 4.8 // nats, 2·ln 11: what two batches come to if their mean is not taken
	markLoop(e, out)
	for _, name := range []string{"losses", "lr", "norms", "evaluations"} {
		if v := out[name]; v.DType != wire.F64 || v.Len() != steps {
			return e.Fails("train.run", in, "%s is %s; want one number for each of %d updates", name, v, steps)
		}
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}; !slices.Equal(out["steps"].I64, want) {
		return e.Fails("train.run", in, "the reports are of the updates %v; want %v", out["steps"].I64, want)
	}
	if want := []int64{0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10, 13}; !slices.Equal(out["saved"].I64, want) {
		return e.Fails("train.run", in, "after each update the checkpoint on the disk is of update %v; want %v (save_every is 5, and the last update is saved too)", out["saved"].I64, want)
	}
	for i := range steps {
		t, lr, norm := i+1, out["lr"].F64[i], out["norms"].F64[i]
		if want := rate(t, 0.01, 0.002, 4, steps); !(math.Abs(lr-want) <= 1e-9*want) {
			return e.Fails("train.run", in, "the rate of update %d is %g; want CosineSchedule(%d, …) = %g", t, lr, t, want)
		}
		if loss := out["losses"].F64[i]; !(loss > 0 && loss < 20) || !(norm > 0 && norm < 1e4) {
			return e.Fails("train.run", in, "update %d has loss %g and norm %g", t, loss, norm)
		}
		value := out["evaluations"].F64[i]
		free := t == steps && math.IsNaN(value) // an evaluation at the end is neither asked for nor wrong
		evaluated := t%3 == 0 || t == steps
		if !free && (evaluated == math.IsNaN(value) || evaluated && !(value > 0 && value < sumOfTwo)) {
			return e.Fails("train.run", in, "update %d reports the validation loss %g; eval_every is 3, so want NaN after all updates but 3, 6, 9, 12 and perhaps the last", t, value)
		}
	}
	if err := numbersAre(e, "train.run", in, out, map[string]int{"fresh": 1}, lang.T("The model of NewTrainer is lm.New(cfg, o.Seed).")); err != nil {
		return err
	}
	if want := []int64{5, 10, 13}; !slices.Equal(out["told"].I64, want) {
		return e.Fails("train.run", in, "the reports of the updates %v say that a checkpoint was written; want %v", out["told"].I64, want)
	}
	if err := everyUpdate(e, in); err != nil {
		return err
	}
	without, err := e.Ask("train.run", course.With(in, "eval_every", wire.Int(0)))
	if err != nil {
		return err
	}
	for i, value := range without["evaluations"].F64 {
		if !math.IsNaN(value) {
			return e.Fails("train.run", in, "eval_every is 0, but update %d reports the validation loss %g; want NaN, since there is no evaluation", i+1, value)
		}
	}
	e.MarkFlag("the same without evaluations", slices.Equal(out["losses"].F64, without["losses"].F64))
	err = sameRun(e, in, out, without, []string{"losses"}, lang.T("with evaluations and without"), lang.T("an evaluation must not draw from the generator of the batches, nor change anything else"))
	if err != nil {
		return err
	}
	return randomText(e)
}

// everyUpdate evaluates and saves after every update.
func everyUpdate(e *course.Exam, in wire.Values) error {
	in = course.With(course.With(in, "eval_every", wire.Int(1)), "save_every", wire.Int(1))
	out, err := e.Ask("train.run", in)
	if err != nil {
		return err
	}
	if !slices.Equal(out["saved"].I64, out["steps"].I64) {
		return e.Fails("train.run", in, "save_every is 1, but after each update the checkpoint on the disk is of update %v; want %v", out["saved"].I64, out["steps"].I64)
	}
	for i, value := range out["evaluations"].F64 {
		if math.IsNaN(value) {
			return e.Fails("train.run", in, "eval_every is 1, but update %d reports no validation loss", i+1)
		}
	}
	return nil
}

// randomText trains on random tokens until a model that sees what it is to
// predict has learnt to copy it. All others have nothing to learn: on another
// random text their loss stays at ln V or above. Where the targets are the ids
// themselves it falls to 0; where attention is not causal only the last of the
// five places still has to guess.
func randomText(e *course.Exam) error {
	const steps = 300
	in := loop(e)
	in["steps"], in["lr_max"], in["eval_every"], in["save_every"] = wire.Int(steps), wire.Float(0.02), wire.Int(steps), wire.Int(0)
	out, err := e.Ask("train.run", in)
	if err != nil {
		return err
	}
	for _, name := range []string{"evaluations", "norms"} {
		if v := out[name]; v.DType != wire.F64 || v.Len() != steps {
			return e.Fails("train.run", in, "%s is %s; want one number for each of %d updates", name, v, steps)
		}
	}
	const maxNorm = 1.0 // the binding's; the gradients of a fresh model are longer
	largest := slices.Max(out["norms"].F64)
	e.MarkFlag("norms from before the clipping", largest != maxNorm)
	if !(largest > 1.2*maxNorm) {
		return e.Fails("train.run", in, "the largest of %d norms is %.3g, where max_norm is %g; Update.Norm is the length of the gradient before it is clipped", steps, largest, maxNorm)
	}
	const guessing, copyingMost, copying = 1, 2, 3
	loss, how := out["evaluations"].F64[steps-1], guessing
	switch chance := math.Log(11); {
	case loss < chance/10:
		how = copying
	case loss < chance*3/4:
		how = copyingMost
	}
	e.MarkOutcome(e.Check+"/what is learnt from random text", float64(how), guessing, 0.05)
	if how != guessing {
		return e.Fails("train.run", in, "on random text the validation loss is %.2f after %d updates, but nobody can guess random tokens with a loss below ln 11 = 2.40. "+
			"The model sees what it is to predict: look at the targets, which are one place further than the ids, and at the causal mask of attention", loss, steps)
	}
	return nil
}

// learns checks that a run is one: a loss for every update, which are numbered,
// and no two of them the same. Two runs that did nothing are equal too.
func learns(e *course.Exam, in, out wire.Values) error {
	losses, steps := out["losses"], out["steps"]
	if losses.DType != wire.F64 || steps.DType != wire.I64 || losses.Len() != int(in["steps"].I64[0]) || losses.Len() != steps.Len() {
		return e.Fails("train.run", in, "losses is %s and steps is %s; want one number for each of %d updates", losses, steps, in["steps"].I64[0])
	}
	for i, loss := range losses.F64 {
		if steps.I64[i] != int64(i)+1 || !(loss > 0) || math.IsInf(loss, 0) {
			return e.Fails("train.run", in, "report %d is of update %d with loss %g; want updates counted from 1, and a loss above 0", i+1, steps.I64[i], loss)
		}
		if slices.Index(losses.F64, loss) != i {
			return e.Fails("train.run", in, "two updates of a run have the same loss %g; every update changes the model", loss)
		}
	}
	return nil
}

// sameRun checks that two runs reported the same, and ended with the same
// parameters, bit for bit.
func sameRun(e *course.Exam, in, a, b wire.Values, lists []string, which, why lang.Text) error {
	for _, name := range lists {
		x, y := a[name], b[name]
		if x.DType != wire.F64 || y.DType != wire.F64 || len(x.F64) != len(y.F64) {
			return e.Fails("train.run", in, "%s: %s is %s and %s", which, name, x, y)
		}
		for i := range x.F64 {
			if math.Float64bits(x.F64[i]) != math.Float64bits(y.F64[i]) {
				return e.Fails("train.run", in, "%s: %s of update %d is %.17g and %.17g; %s", which, name, i+1, x.F64[i], y.F64[i], why)
			}
		}
	}
	for _, name := range course.SortedNames(a) {
		x, y := a[name], b[name]
		if x.DType != wire.F32 {
			continue
		}
		if !slices.Equal(x.Shape, y.Shape) || y.DType != wire.F32 {
			return e.Fails("train.run", in, "%s: %s is %s and %s", which, name, x, y)
		}
		for i := range x.F32 {
			if math.Float32bits(x.F32[i]) != math.Float32bits(y.F32[i]) {
				return e.Fails("train.run", in, "%s: element %d of %s is %.9g and %.9g at the end; %s", which, i, name, x.F32[i], y.F32[i], why)
			}
		}
	}
	return nil
}

// runOnProcs runs on one processor and on three.
func runOnProcs(e *course.Exam) error {
	in := loop(e)
	one, err := e.Ask("train.run", course.With(in, "procs", wire.Int(1)))
	if err != nil {
		return err
	}
	three, err := e.Ask("train.run", course.With(in, "procs", wire.Int(3)))
	if err != nil {
		return err
	}
	if err := learns(e, in, one); err != nil {
		return err
	}
	if left, _ := integer(three, "procs"); left != 3 {
		return e.Fails("train.run", in, "the program ran on %d processors before the call, and on %d after it; leave GOMAXPROCS as it is", 3, left)
	}
	return sameRun(e, in, one, three, []string{"losses", "norms", "evaluations"}, lang.T("on one processor and on three"),
		lang.T("the batch is cut into Options.Shards parts, however many processors there are, and the gradients are added in the order of the parts"))
}

// batch returns the arguments for updates from one batch.
func batch(e *course.Exam, steps int) wire.Values {
	in := loop(e)
	delete(in, "tokens")
	delete(in, "validation")
	in["ids"], in["targets"] = course.IDs(e.Rng, 11, 6, 5), course.IDs(e.Rng, 11, 6, 5)
	in["steps"] = wire.Int(steps)
	return in
}

// overfits wants a model to learn six sequences by heart.
func overfits(e *course.Exam) error {
	const steps = 150
	in := batch(e, steps)
	in["ids"], in["targets"] = wire.Ints(nil, 6, 5), wire.Ints(nil, 6, 5)
	seq := course.IDs(e.Rng, 11, 6, 6) // the targets follow the ids, as they do in a text
	for row := 0; row < seq.Len(); row += 6 {
		x, y := in["ids"], in["targets"]
		x.I64, y.I64 = append(x.I64, seq.I64[row:row+5]...), append(y.I64, seq.I64[row+1:row+6]...)
		in["ids"], in["targets"] = x, y
	}
	in["lr_max"] = wire.Float(0.02)
	out, err := e.Ask("train.overfit", in)
	if err != nil {
		return err
	}
	losses := out["losses"]
	if losses.DType != wire.F64 || losses.Len() != steps {
		return e.Fails("train.overfit", in, "losses is %s; want %d numbers", losses, steps)
	}
	first, last := losses.F64[0], losses.F64[steps-1]
	if !(first > 1) || !(last < 0.7) {
		return e.Fails("train.overfit", in, "the loss of one batch goes from %.3g to %.3g in %d updates; want it to begin near ln 11 and end below 0.7", first, last, steps)
	}
	return largeVocabulary(e)
}

// largeVocabulary cuts a batch of a million logits into one shard and into as
// many as there are sequences, an odd and an even number. That makes no difference
// beyond rounding, however many sequences a shard takes through the model at a
// time.
func largeVocabulary(e *course.Exam) error {
	const vocab, length, steps, rounding = 1 << 13, 25, 3, 1e-4
	for _, sequences := range []int{5, 6} {
		in := course.With(batch(e, steps), "vocab_size", wire.Int(vocab))
		in["context"] = wire.Int(length)
		in["ids"], in["targets"] = course.IDs(e.Rng, vocab, sequences, length), course.IDs(e.Rng, vocab, sequences, length)
		var losses [2][]float64
		for i, shards := range []int{1, sequences} {
			out, err := e.Ask("train.overfit", course.With(in, "shards", wire.Int(shards)))
			if err != nil {
				return err
			}
			if v := out["losses"]; v.DType != wire.F64 || v.Len() != steps {
				return e.Fails("train.overfit", in, "losses is %s; want %d numbers", v, steps)
			}
			losses[i] = out["losses"].F64
		}
		for s := range steps {
			if a, b := losses[0][s], losses[1][s]; !(math.Abs(a-b) <= rounding) {
				return e.Fails("train.overfit", in, "with a vocabulary of %d the loss of update %d is %.6f with one shard and %.6f with %d; "+
					"into how many parts a batch is cut changes no more than rounding", vocab, s+1, a, b, sequences)
			}
		}
	}
	return nil
}

// steadyStep wants updates to make no new tensors. What goroutines and small
// headers need is far below one model's parameters.
func steadyStep(e *course.Exam) error {
	in := batch(e, 20)
	out, err := e.Ask("train.steady", in)
	if err != nil {
		return err
	}
	bytes, model := out["bytes"], out["model"]
	if bytes.DType != wire.F64 || model.DType != wire.F64 || bytes.Len() != 1 || model.Len() != 1 {
		return e.Fails("train.steady", in, "bytes is %s and model is %s; want two numbers", bytes, model)
	}
	if limit := model.F64[0]; !(bytes.F64[0] < limit) {
		return e.Fails("train.steady", in, "an update takes %.0f bytes of new memory; the model's parameters are %.0f bytes. Make tensors once and use them again (tensor.Reuse), and ask each replica once for its Params(): where a layer makes headers for them, it does so in every call", bytes.F64[0], limit)
	}
	return nil
}

// markLoop notes at which rates the run of loopReports makes its updates, and
// when it saves.
func markLoop(e *course.Exam, out wire.Values) {
	rates := wire.Floats(make([]float64, 13), 13)
	for i := range rates.F64 {
		rates.F64[i] = rate(i+1, 0.01, 0.002, 4, 13)
	}
	e.Mark(e.Check+"/lr", out["lr"], rates, 1e-7)
	if n := out["loaded"]; len(n.I64) == 1 && n.I64[0] == 0 {
		return // no checkpoint at all is not a checkpoint of update 0
	}
	e.Mark(e.Check+"/saved", out["saved"], integers(0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10, 13), 1e-7)
}
