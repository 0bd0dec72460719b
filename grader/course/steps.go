package course

// everyStep returns every step that this kit has the checks of, in order.
func everyStep() []*Step {
	return []*Step{
		initStep(),
		linearStep(),
		embeddingStep(),
		rmsnormStep(),
		swigluStep(),
		ropeStep(),
		softmaxStep(),
		attentionStep(),
		blockStep(),
		lmStep(),
		trainingStep(),
	}
}
