package run

// PageTokens is S, the tokens of a page, wherever a program makes a pool of step 22.
const PageTokens = 16

// The model alone, and the draft alone, among the lengths of a Speculation.
const (
	LargeAlone = 0
	DraftAlone = -1
)

// Speculation is a text that is written again and again: in every round once for each of
// the lengths of a draft.
type Speculation struct {
	Generation
	Ahead  []int `json:"ahead"`  // γ; LargeAlone or DraftAlone
	Rounds int   `json:"rounds"` // the first with the seed, the next with the one behind it

	// OneCore lets one core work, and counts its time instead of that on the wall.
	OneCore bool `json:"one_core"`
}

// Drafted is what the writing of one text has taken.
type Drafted struct {
	Ahead    int     `json:"ahead"`
	Tokens   []int   `json:"tokens"`   // without a stop token
	Rounds   int     `json:"rounds"`   // calls of the large model
	Drafted  int     `json:"drafted"`  // tokens that were proposed to it
	Accepted int     `json:"accepted"` // and those of them that it took
	Seconds  float64 `json:"seconds"`
}

// PerSecond is how many tokens were written in a second.
func (d Drafted) PerSecond() float64 { return float64(len(d.Tokens)) / d.Seconds }
