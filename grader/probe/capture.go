package probe

import (
	"bytes"
	"strings"
	"sync"
)

// kept is how many bytes are kept of the end of what a program prints, and as
// many of what it prints from the announcement of a crash on.
const kept = 64 << 10

// crashes are the lines with which the Go runtime announces the end, after the
// end of the line before.
var crashes = [][]byte{[]byte("\nfatal error: "), []byte("\npanic: "), []byte("\n" + segfault)}

// segfault is the announcement of a fault in the runtime itself. Without cgo and
// unsafe it has one cause: the system had no memory for it.
const segfault = "SIGSEGV: segmentation violation\nPC="

// capture takes what a program prints, and tells when it is too much.
type capture struct {
	over chan struct{} // closed when more than limit bytes were printed

	mu    sync.Mutex
	last  []byte
	crash []byte // from the last announcement of a crash on
	total int64
	limit int64
}

func newCapture(limit int64) *capture {
	return &capture{over: make(chan struct{}), limit: limit, last: []byte("\n")}
}

// Write never fails: whatever comes is taken, so that the program need not wait.
func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const seam = len("\n" + segfault)
	from := max(0, len(c.last)-seam)
	c.last = append(c.last, b...)
	c.watch(c.last[from:], b)
	if len(c.last) > 2*kept {
		c.last = append(c.last[:0], c.last[len(c.last)-kept:]...)
	}
	if before := c.total; before <= c.limit && before+int64(len(b)) > c.limit {
		close(c.over)
	}
	c.total += int64(len(b))
	return len(b), nil
}

// watch looks for the announcement of a crash in recent, which is what came
// before b, as far as an announcement could reach into it, and b.
func (c *capture) watch(recent, b []byte) {
	at := -1
	for _, sign := range crashes {
		at = max(at, bytes.LastIndex(recent, sign))
	}
	switch {
	case at >= 0:
		c.crash = append(c.crash[:0], recent[at+1:]...)
	case len(c.crash) > 0:
		c.crash = append(c.crash, b...)
	}
	c.crash = c.crash[:min(len(c.crash), kept)]
}

// crashText returns what the program printed from the last announcement of a
// crash on, or "".
func (c *capture) crashText() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.crash)
}

// beginsWith reports whether all that was printed is kept and begins like that.
func (c *capture) beginsWith(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.HasPrefix(c.last, []byte("\n"+text))
}

// since returns what was printed from the last occurrence of the sign on, or "".
func (c *capture) since(sign string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := bytes.LastIndex(c.last, []byte(sign))
	if at < 0 {
		return ""
	}
	return string(c.last[at:])
}

// excerpt returns the last lines of what was printed, for a message, or "" if
// nothing was.
func (c *capture) excerpt() string {
	const lines, columns = 12, 160
	c.mu.Lock()
	text := string(c.last[max(0, len(c.last)-kept):])
	c.mu.Unlock()
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	all := strings.Split(text, "\n")
	title := "The program printed:"
	if len(all) > lines {
		all, title = all[len(all)-lines:], "The last lines that the program printed:"
	}
	for i, line := range all {
		if len(line) > columns {
			all[i] = strings.ToValidUTF8(line[:columns], "") + "…"
		}
	}
	return title + "\n" + strings.Join(all, "\n")
}
