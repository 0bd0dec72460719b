package engine

import (
	"maps"

	"github.com/stubformer/stubformer/cmd/tui/theme"
)

// Began reports whether the first look has been taken.
func (w *Watch) Began() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen != nil
}

// Seen is what was seen last.
func (w *Watch) Seen() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.seen)
}

// Fold breaks Chinese prose.
func Fold(markdown string, width int) (string, bool) { return fold(markdown, width) }

// Links writes out where links lead.
func Links(markdown, folder string) string { return links(markdown, folder) }

// Render renders a lesson.
func Render(markdown string, t theme.Theme, width int) (string, error) {
	return render(markdown, t, width)
}
