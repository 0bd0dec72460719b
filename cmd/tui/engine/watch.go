package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/progress"
)

// How often the step folders are looked at. Looking may take at most a
// twentieth of the time, which matters on a network disk.
const (
	pollEvery = 50 * time.Millisecond
	pollShare = 20
)

// Watch watches the step folders. It asks for names, sizes and times again and
// again, which works where the system's own notifications do not: in WSL,
// containers and on network disks.
type Watch struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	seen   map[string]string // by step: what its folder was like; nil before the first look
}

// Changed says that the student saved something.
type Changed struct {
	Watch *Watch
	Steps []*course.Step
}

// Watch begins to watch.
func (e *Engine) Watch() (*Watch, tea.Cmd) {
	ctx, cancel := context.WithCancel(e.ctx)
	w := &Watch{ctx: ctx, cancel: cancel}
	return w, e.Changes(w)
}

// Stop ends the watching.
func (w *Watch) Stop() { w.cancel() }

// Changes waits for the next change.
func (e *Engine) Changes(w *Watch) tea.Cmd {
	return e.during(func() tea.Msg {
		for {
			start := time.Now()
			if changed := w.changed(e.look(), e.steps); len(changed) > 0 {
				return Changed{w, changed}
			}
			if !wait(w.ctx, max(pollEvery, pollShare*time.Since(start))) {
				return nil
			}
		}
	})
}

// changed returns the steps that are not as they were at the last look. At the
// first one there are none.
func (w *Watch) changed(now map[string]string, steps []*course.Step) []*course.Step {
	w.mu.Lock()
	defer w.mu.Unlock()
	var changed []*course.Step
	for _, s := range steps {
		if w.seen != nil && now[s.ID] != w.seen[s.ID] {
			changed = append(changed, s)
		}
	}
	w.seen = now
	return changed
}

// look says what every step's folder is like.
func (e *Engine) look() map[string]string {
	seen := map[string]string{}
	for _, s := range e.steps {
		seen[s.ID] = fingerprint(filepath.Join(e.kit.Root, "steps", s.Folder))
	}
	return seen
}

// fingerprint is the names, sizes and times of a folder's Go files, tests and
// hidden files aside: what an editor keeps beside them does not count.
func fingerprint(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name[0] == '.' || name[0] == '_' {
			continue
		}
		if info, err := entry.Info(); err == nil {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// recordEvery is how often it is asked whether something was recorded.
const recordEvery = 250 * time.Millisecond

// Recorded says that an attempt, a hint or a milestone was recorded, here or by grade in
// another terminal.
type Recorded struct{ mark string }

// Records waits until what is recorded is not what it was at the last time; the zero value
// is before the first time.
func (e *Engine) Records(last Recorded) tea.Cmd {
	return e.during(func() tea.Msg {
		for {
			if now := (Recorded{e.recordMark()}); now != last {
				return now
			}
			if !wait(e.ctx, recordEvery) {
				return nil
			}
		}
	})
}

// recordMark is the sizes and times of the files in which is kept what was done.
func (e *Engine) recordMark() string {
	files := []string{progress.Path(e.kit.Root)}
	for _, m := range milestone.All() {
		files = append(files, m.Path(e.kit.Root))
	}
	var b strings.Builder
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintln(&b, file, info.Size(), info.ModTime().UnixNano())
		} else {
			fmt.Fprintln(&b, file)
		}
	}
	return b.String()
}
