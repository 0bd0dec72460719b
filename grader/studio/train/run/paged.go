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

// Serving says how a program answers many at once.
type Serving struct {
	Texts int `json:"texts"` // that are read together at most
	Chunk int `json:"chunk"` // tokens of a prompt that are read in a call
	Pages int `json:"pages"` // of PageTokens, for all texts
}

// Rows is how many tokens the model reads in every call: one of each text, and a piece of
// a prompt.
func (s Serving) Rows() int { return s.Texts + s.Chunk }

// PagesFor is how many pages a text of so many tokens takes.
func PagesFor(tokens int) int { return (tokens + PageTokens - 1) / PageTokens }

// Request is a text that is to be continued, or one that nobody waits for any more.
type Request struct {
	Generation
	ID    int  `json:"id"`
	Leave bool `json:"leave,omitempty"`
}

// Pages is how many pages the text takes when it ends: all but its last token are read.
func (g Generation) Pages() int { return PagesFor(len(g.Prompt) + max(0, g.Tokens-1)) }

// Served is what a call of the model has brought, and how things stand after it.
type Served struct {
	Written  []Written `json:"written,omitempty"`
	Standing Standing  `json:"standing"`
}

// Written is the next token of a text.
type Written struct {
	ID    int  `json:"id"`
	Token int  `json:"token"` // −1: none, the text has ended
	End   bool `json:"end"`   // it is the last
}

// Standing is how things stand.
type Standing struct {
	Running  int     `json:"running"`
	Waiting  int     `json:"waiting"`
	Answered int     `json:"answered"`
	Pages    int     `json:"pages"`    // that there are
	Reserved int     `json:"reserved"` // that the running texts may come to take
	Used     int     `json:"used"`     // that they have tokens in
	Read     int     `json:"read"`     // tokens of prompts
	Wrote    int     `json:"wrote"`    // tokens of answers
	Seconds  float64 `json:"seconds"`  // in which the model was at work
}
