package film

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// piece is text of one colour.
type piece struct{ text, class string }

// classes are the colours that commands and the dashboard use, by their code.
var classes = map[string]string{"1": "bold", "2": "faint", "7": "chosen", "31": "bad", "32": "good", "33": "warn", "34": "accent"}

// pieces cuts a line where its colour changes. Any other sequence is left out.
func pieces(line string) []piece {
	var all []piece
	class, state := "", byte(0)
	for len(line) > 0 {
		sequence, _, n, next := ansi.DecodeSequence(line, state, nil)
		line, state = line[n:], next
		if code, found := strings.CutPrefix(sequence, "\x1b["); found {
			if code, found = strings.CutSuffix(code, "m"); found {
				class = classes[code]
			}
			continue
		}
		if sequence < " " {
			continue
		}
		if len(all) == 0 || all[len(all)-1].class != class {
			all = append(all, piece{class: class})
		}
		all[len(all)-1].text += sequence
	}
	return all
}
