//go:build mistake

package paged

import (
	"github.com/stubformer/stubformer/reference/kernel"
)

// positions-restart: the positions of every call begin at 0
//
// Why: A token's position is the number of tokens before it in its text, a prompt that it shares included.
//
// Hint: Len − n, …, Len − 1.
func (*Reader) attend() {
	if right {
		positions := [][]int{places(t.length-n, n)}
	} else {
		positions := [][]int{places(0, n)}
	}
}

// positions-of-first-text: all texts have the positions of the first
//
// Why: Every text has a length of its own.
//
// Hint: Len of the text itself.
func (*Reader) attend() {
	if right {
		positions := [][]int{places(t.length-n, n)}
	} else {
		positions := [][]int{places(max(0, texts[0].length-n), n)}
	}
}
