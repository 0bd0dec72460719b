package run

// Job says what a model is to learn from examples with answers, and how.
type Job struct {
	Examples []Sample `json:"examples"`
	End      int      `json:"end"` // the token that ends an answer

	Rank  int     `json:"rank"`  // of the adapters; 0: all parameters are trained
	Alpha float64 `json:"alpha"` // of the adapters

	Steps       int     `json:"steps"`  // updates
	Batch       int     `json:"batch"`  // examples in each
	Warmup      int     `json:"warmup"` // updates until the learning rate is reached
	LR          float64 `json:"lr"`     // the largest; a tenth at the end
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	WeightDecay float64 `json:"weight_decay"`
	MaxNorm     float64 `json:"max_norm"`
	Seed        uint64  `json:"seed"`

	Out string `json:"out"` // the file for what was trained
}

// Sample is a prompt and its answer, in tokens.
type Sample struct {
	Prompt []int `json:"prompt"`
	Answer []int `json:"answer"`
}

// Tuned is what a Job took.
type Tuned struct {
	Params  int     `json:"params"`  // that were trained
	Seconds float64 `json:"seconds"` // of the processors
}

// Ask is a text that is to be continued, by the model with an adapter in it.
type Ask struct {
	Generation
	Adapter string `json:"adapter,omitempty"` // its file; "": none
	Merged  bool   `json:"merged,omitempty"`  // added into the weights, and not beside them
}
