package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/stubformer/stubformer/cmd/command/index"
)

// The pace of what is said while something is compiled.
const (
	patience = 1500 * time.Millisecond // before the first word
	breath   = 5 * time.Second         // between two others
)

// wait tells whoever waits for the compiler that it is at work.
type wait struct {
	w    io.Writer
	say  words
	what string // is being compiled

	mu       sync.Mutex
	packages int
	done     chan struct{}
	ended    sync.WaitGroup
}

func newWait(w *os.File, say words, program, lesson string) *wait {
	what := fmt.Sprintf(say(building), lesson)
	if program != index.Learn && program != index.Handed {
		what = fmt.Sprintf(say(another), program)
	}
	t := &wait{w: w, say: say, what: what, done: make(chan struct{})}
	t.ended.Go(t.tell)
	return t
}

func (t *wait) compiled(string) {
	t.mu.Lock()
	t.packages++
	t.mu.Unlock()
}

// tell says what is being compiled, and from time to time how far that is.
func (t *wait) tell() {
	next := time.NewTimer(patience)
	defer next.Stop()
	for first := true; ; first = false {
		select {
		case <-t.done:
			return
		case <-next.C:
		}
		t.mu.Lock()
		if first {
			fmt.Fprintln(t.w, t.what)
		} else {
			fmt.Fprintf(t.w, t.say(soFar)+"\n", t.packages)
		}
		t.mu.Unlock()
		next.Reset(breath)
	}
}

// end says no more.
func (t *wait) end() {
	close(t.done)
	t.ended.Wait()
}
