package run

// Routing says how often the experts of a model were chosen, with the parameters that it
// had after a step of its training.
type Routing struct {
	Step   int       `json:"step"`
	Tokens []int     `json:"tokens"` // how often each token of the vocabulary was read
	Chosen [][][]int `json:"chosen"` // by layer, expert and token
}
