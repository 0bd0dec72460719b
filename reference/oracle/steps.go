package oracle

// stepAnswers are those of the steps that stand in a file of their own; grade dev new
// adds to them.
func stepAnswers() []answers {
	return []answers{
		cacheFunctions(),
		groupedFunctions(),
		formatFunctions(),
	}
}
