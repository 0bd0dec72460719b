package engine

import (
	"os"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/grader/studio/figure/card"
)

// Card is what has been built so far.
type Card struct {
	Card card.Card
	Err  error
}

// Card gathers what has been built so far.
func (e *Engine) Card() tea.Cmd {
	return e.during(func() tea.Msg {
		c, err := card.Gather(e.kit, "")
		return Card{c, err}
	})
}

// SaveCard measures the student's product and writes the card below out/, as `grade
// card` does, for a light page and for a dark one.
func (e *Engine) SaveCard() tea.Cmd {
	return e.during(func() tea.Msg {
		plot, remove, err := e.plotter()
		if err != nil {
			return Saved{Err: err}
		}
		defer remove()
		if err := os.MkdirAll(filepath.Join(e.kit.Root, "out"), 0o755); err != nil {
			return Saved{Err: err}
		}
		light, dark := filepath.Join("out", "card"), filepath.Join("out", "card-dark")
		if err := e.child(plot, "card", "--out", light); err != nil {
			return Saved{Err: err}
		}
		if err := e.child(plot, "card", "--quick", "--dark", "--out", dark); err != nil {
			return Saved{Err: err}
		}
		return Saved{Files: []string{"out/card.svg", "out/card.png", "out/card-dark.svg", "out/card-dark.png"}}
	})
}
