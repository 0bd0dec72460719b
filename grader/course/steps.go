package course

// Steps returns the course, in order.
func Steps() []*Step {
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
