//go:build unlisted

package training

// loss-after-update: the loss is computed again after the update
//
// Why: Step reports the loss of the batch after the update and not before.
func (*Trainer) Step() {
	if right {
		t.Optimizer.Step(lr)
	} else {
		t.Optimizer.Step(lr)
		if loss, err = t.Loss(ids, targets); err != nil {
			return Update{}, err
		}
	}
}

// clipped-after-update: the gradient is clipped after the parameters were moved
//
// Why: The update is made with the gradient as it was: MaxNorm has no effect.
func (*Trainer) Step() {
	if right {
		norm := ClipGradNorm(params, t.Options.MaxNorm)
		t.Optimizer.Step(lr)
	} else {
		t.Optimizer.Step(lr)
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	}
}

// norm-after-clipping: the length is measured again after clipping
//
// Why: Step reports a length of at most MaxNorm, where that before clipping is wanted.
func (*Trainer) Step() {
	if right {
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	} else {
		ClipGradNorm(params, t.Options.MaxNorm)
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	}
}

// clipped-before-summed: the gradient is clipped before those of the other shards are added
//
// Why: With several shards the first one's gradient alone is bounded: the sum may be longer than MaxNorm, and the length reported is that of a part.
func (*Trainer) Step() {
	if right {
		t.adders.run(len(params), t.shards)
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	} else {
		norm := ClipGradNorm(params, t.Options.MaxNorm)
		t.adders.run(len(params), t.shards)
	}
}

// rate-of-options: Step uses the largest rate of the options
//
// Why: The rate that Step is given has no effect: every step is taken with LRMax.
func (*Trainer) Step() {
	if right {
		t.Optimizer.Step(lr)
	} else {
		t.Optimizer.Step(t.Options.LRMax)
	}
}

// refused-batch-counted: the update is counted before the batch is looked at
//
// Why: After a batch that was refused the optimiser's Steps is one too large.
func (*Trainer) Step() {
	if right {
		loss, err := t.divide(ids, targets, true)
		if err != nil {
			return Update{}, err
		}
	} else {
		t.Optimizer.Steps++
		loss, err := t.divide(ids, targets, true)
		if err != nil {
			return Update{}, err
		}
		t.Optimizer.Steps--
	}
}

// updated-in-spite-of-error: the update is made and the error returned afterwards
//
// Why: A batch that is refused moves the parameters all the same.
func (*Trainer) Step() {
	if right {
		loss, err := t.divide(ids, targets, true)
		if err != nil {
			return Update{}, err
		}
	} else {
		loss, err := t.divide(ids, targets, true)
	}
	if right {
		return Update{Loss: loss, Norm: norm}, nil
	} else {
		return Update{Loss: loss, Norm: norm}, err
	}
}

// loss-clears-gradients: Loss runs Backward too
//
// Why: Loss changes the gradients, where it should change nothing.
func (*Trainer) Loss() {
	if right {
		return t.divide(ids, targets, false)
	} else {
		return t.divide(ids, targets, true)
	}
}

// loss-by-step: Loss makes a step with the rate 0
//
// Why: Loss counts an update and changes the means of AdamW, where it should change nothing.
func (t *Trainer) Loss(ids, targets [][]int) (float64, error) {
	update, err := t.Step(ids, targets, 0)
	return update.Loss, err
}
