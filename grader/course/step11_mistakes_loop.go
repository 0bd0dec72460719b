package course

// Parts of the trainer in the solution that several mistakes change.
const (
	trainFile  = "train.go"
	trainZero  = "		for _, p := range s.params {\n			p.ZeroGrad() // Backward adds\n		}\n"
	trainShare = "s.share = float64(to-from) / float64(len(ids))"
	trainCut   = "from, to := i*len(ids)/len(used), (i+1)*len(ids)/len(used)"
	trainUsed  = "used = t.shards[:min(len(t.shards), len(ids))]"
	trainLoss  = "loss += s.share * s.loss"
	trainScale = "		kernel.Scale(float32(s.share*part), dlogits.Data)\n"
	trainAdd   = "kernel.Add(total, total, s.params[i].Grad.Data)"
	trainClip  = "	norm := ClipGradNorm(params, t.Options.MaxNorm)\n"
	trainMove  = "	t.Optimizer.Step(lr)\n"
)

// stepMistakes are about one update.
func stepMistakes() []Mistake {
	return []Mistake{
		{
			ID: "gradients-not-zeroed", Title: "the gradients are not set to 0 before the next update",
			File: trainFile, Old: trainZero, New: "",
			Why:   "Backward adds to the gradients. Each update then moves along the sum of all batches so far, and the loss falls at first and swings later.",
			Hint:  "Call ZeroGrad on every parameter, of every shard, before Backward.",
			Curve: true,
		},
		{
			ID: "only-first-shard-zeroed", Title: "only the first shard's gradients are set to 0 before the next update",
			File: trainFile, Old: trainZero, New: "		for _, p := range s.params {\n			if s.first {\n				p.ZeroGrad()\n			}\n		}\n",
			More: []Edit{
				{"	err          error\n}", "	err          error\n	first        bool\n}"},
				{"t.shards = append(t.shards, newShard(model)) // the first works on the model itself\n", "t.shards = append(t.shards, newShard(model))\n	t.shards[0].first = true\n"},
			},
			Why:  "The model's own parameters are the first shard's. The replicas have gradients of their own, which collect as well.",
			Hint: "Every shard zeroes its own gradients.",
		},
		{
			ID: "gradients-zeroed-late", Title: "the gradients are set to 0 after Backward, before they are used",
			File: trainFile, Old: trainZero, New: "",
			More: []Edit{{"		s.model.Backward(dlogits)\n", "		s.model.Backward(dlogits)\n		for _, p := range s.params {\n			p.ZeroGrad()\n		}\n"}},
			Why:  "The optimiser sees zeros: nothing is learnt, and the weights decay.",
			Hint: "Zero, Backward, clip, Step: in this order.",
		},
		{
			ID: "not-clipped", Title: "the gradient is not clipped before the optimiser uses it",
			File: trainFile, Old: trainClip, New: "	norm := ClipGradNorm(params, 1e30)\n",
			Why:      "One bad batch can then throw the model far away.",
			Hint:     "Call ClipGradNorm with Options.MaxNorm before the optimiser's step, not after it.",
			Variants: []Variant{{"clipped-after-step", []Edit{{trainClip + trainMove, trainMove + trainClip}}}},
		},
		{
			ID: "rate-of-the-first-step", Title: "the learning rate is set at the first update and never changed",
			File: trainFile, Old: trainMove, New: "	if t.Optimizer.Steps == 0 {\n		t.rate = lr\n	}\n	t.Optimizer.Step(t.rate)\n",
			More:  []Edit{{"	shards    []*shard\n", "	shards    []*shard\n	rate      float64\n"}},
			Why:   "The schedule is computed and not used. With a warm-up that begins near 0 the model hardly learns.",
			Hint:  "Give each update's lr to the optimiser.",
			Curve: true,
		},
		{
			ID: "rate-of-the-update-before", Title: "the optimiser takes each step with the learning rate of the update before",
			File: trainFile, Old: trainMove, New: "	if t.Optimizer.Steps == 0 {\n		t.rate = lr\n	}\n	t.Optimizer.Step(t.rate)\n	t.rate = lr\n",
			More: []Edit{{"	shards    []*shard\n", "	shards    []*shard\n	rate      float64\n"}},
			Why:  "The rate is set after the step instead of before it: everything lags by one.",
			Hint: "First the rate, then the step.",
		},
		{
			ID: "loss-after-update", Title: "the loss is reported as it is after the update",
			File: trainFile, Old: "	return Update{Loss: loss,", New: "	if loss, err = t.Loss(ids, targets); err != nil {\n		return Update{}, err\n	}\n	return Update{Loss: loss,",
			Why:  "After the update the model has just seen this batch: the loss looks better than it is, and costs another pass.",
			Hint: "Return the loss of the forward pass that the gradient came from.",
		},
		{
			ID: "norm-reported-clipped", Title: "the norm that an update reports is that of the clipped gradient",
			File: trainFile, Old: "Norm: norm}", New: "Norm: min(norm, t.Options.MaxNorm)}",
			Why:  "The norm is reported to show when a batch was unusual. Clipped, it is never above MaxNorm and shows nothing.",
			Hint: "ClipGradNorm returns the norm from before. Report that.",
		},
		{
			ID: "model-not-causal", Title: "the model's attention sees the tokens that it is to predict",
			File: "step08_attention/multihead.go", Old: "m.Attention.Forward(m.q, m.k, m.v, m.mask)", New: "m.Attention.Forward(m.q, m.k, m.v, nil)",
			Why:   "The loss falls far below that of a sound model, and the model can write nothing: the tokens it copies are not there yet.",
			Hint:  "The optimiser is not to blame. Hand the causal mask to attention, in step 08.",
			Curve: true,
		},
		{
			ID: "stepped-twice", Title: "the optimiser takes two steps in every update",
			File: trainFile, Old: trainMove, New: trainMove + trainMove,
			Why:  "The same gradient counts twice in both means, and t runs twice as fast.",
			Hint: "One Step an update. Is it called in another function too?",
		},
	}
}

// shardMistakes are about cutting a batch into shards.
func shardMistakes() []Mistake {
	return []Mistake{
		{
			ID: "only-first-shard", Title: "only the first shard's gradient reaches the optimiser",
			File: trainFile, Old: trainAdd, New: "_, _ = total, s",
			More: []Edit{{"	\"github.com/stubformer/stubformer/reference/kernel\"\n", "	\"github.com/stubformer/stubformer/reference/kernel\" // Scale\n"}},
			Why:  "The other shards work for nothing: the model learns from a part of each batch.",
			Hint: "Add the gradients of all shards to those of the first.",
		},
		{
			ID: "only-last-shard", Title: "only the last shard's gradient reaches the optimiser",
			File: trainFile, Old: trainAdd, New: "copy(total, s.params[i].Grad.Data)",
			Why:  "Each shard's gradient overwrites the one before.",
			Hint: "Add the gradients of all shards.",
		},
		{
			ID: "shards-summed", Title: "the shards' gradients are added without their share of the batch",
			File: trainFile, Old: trainScale, New: "		kernel.Scale(float32(part), dlogits.Data)\n",
			Why:  "Each shard's loss is a mean over its own part. The sum of S such gradients is S times that of the batch: the result depends on the number of shards.",
			Hint: "Weight each shard by its share of the sequences.",
		},
		{
			ID: "shards-unweighted", Title: "shards of different size count the same",
			File: trainFile, Old: trainShare, New: "s.share = 1 / float64(len(used))",
			Why:  "Five sequences in three shards are 1, 2 and 2. Weighted the same, the lone sequence counts twice. With equal shards nothing shows.",
			Hint: "A shard's share is its sequences over those of the batch.",
		},
		{
			ID: "shards-lose-the-rest", Title: "the sequences that cannot be divided evenly among the shards are left out",
			File: trainFile, Old: trainCut, New: "from, to := i*(len(ids)/len(used)), (i+1)*(len(ids)/len(used))",
			Why:  "5/3 is 1 in integers: two of five sequences are never seen.",
			Hint: "Cut at i·B/S: multiply before you divide.",
		},
		{
			ID: "share-twice", Title: "the shard's share is applied twice to its gradient",
			File: trainFile, Old: trainScale, New: "		kernel.Scale(float32(s.share*s.share*part), dlogits.Data)\n",
			Why:  "Once where the gradient begins, once where the gradients are added: each looks right alone.",
			Hint: "One factor share_s, in one place.",
		},
		{
			ID: "loss-summed-over-shards", Title: "the shards' losses are added instead of averaged",
			File: trainFile, Old: trainLoss, New: "loss += s.loss",
			Why:  "Each is a mean already. With S shards the batch's loss seems S times as large.",
			Hint: "L = Σ share_s·L_s.",
		},
		{
			ID: "loss-of-last-shard", Title: "the loss is that of the last shard alone",
			File: trainFile, Old: trainLoss, New: "loss = s.loss",
			Why:  "An assignment in the loop keeps the last value only.",
			Hint: "L = Σ share_s·L_s.",
		},
		{
			ID: "replicas-not-shared", Title: "every shard has parameters of its own instead of the model's",
			File: trainFile, Old: "newShard(model.Replica())", New: "newShard(lm.New(cfg, o.Seed))",
			Why:  "The optimiser moves the first shard's parameters only. The others compute the gradient of a model that is never trained.",
			Hint: "model.Replica() has gradients and activations of its own and shares the values.",
		},
		{
			ID: "shards-by-processors", Title: "the batch is cut into as many parts as there are processors",
			File: trainFile, Old: trainUsed, New: "used = t.shards[:min(len(t.shards), len(ids), runtime.GOMAXPROCS(0))]",
			Why:  "Sums in another order round differently, so each machine trains another model.",
			Hint: "Options.Shards alone says how many parts there are; processors only decide how many run at a time.",
		},
		{
			ID: "clipped-by-shard", Title: "each shard's gradient is clipped before they are added",
			File: trainFile, Old: "		s.model.Backward(dlogits)\n", New: "		s.model.Backward(dlogits)\n		ClipGradNorm(s.params, s.maxNorm)\n",
			More: []Edit{
				{"	err          error\n}", "	err          error\n	maxNorm      float64\n}"},
				{"		s.ids, s.targets = ", "		s.maxNorm = t.Options.MaxNorm\n		s.ids, s.targets = "},
			},
			Why:  "The norm is that of the whole batch's gradient, which is known only after adding. Clipped earlier, the result depends on the shards.",
			Hint: "Add the shards' gradients, then clip once.",
		},
		{
			ID: "backward-in-evaluation", Title: "an evaluation computes gradients, which nobody uses",
			File: trainFile, Old: "t.run(ids, targets, false)", New: "t.run(ids, targets, true)",
			Why:  "It takes three times as long as a forward pass.",
			Hint: "Loss needs the forward pass only.",
			Invisible: "The gradients are the only thing that Backward changes beside activations, and every update sets all of them to 0 " +
				"before its own Backward adds to them. No result depends on them; only time is lost.",
		},
	}
}
