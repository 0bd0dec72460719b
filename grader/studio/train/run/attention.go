package run

// Attention is what both passes of an attention cost: seconds of one processor, and the
// bytes that the first ones ask for.
type Attention struct {
	Seconds float64 `json:"seconds"`
	Bytes   int     `json:"bytes"`
}

// Attentions is what both kinds cost for a text of so many tokens.
type Attentions struct {
	Tokens int       `json:"tokens"`
	Naive  Attention `json:"naive"`
	Flash  Attention `json:"flash"`
}
