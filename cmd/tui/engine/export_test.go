package engine

import "maps"

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
