//go:build linux || darwin

package main

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// screen is what a terminal of a fixed size shows. It knows the few sequences
// that Bubble Tea writes: moving the cursor, erasing, and those that change
// nothing in sight.
type screen struct {
	mu       sync.Mutex
	cells    [][]rune
	row, col int
	rest     []byte // of a sequence that has not come to its end
	modes    map[string]bool
}

func newScreen(width, height int) *screen {
	s := &screen{modes: map[string]bool{}}
	for range height {
		s.cells = append(s.cells, []rune(strings.Repeat(" ", width)))
	}
	return s
}

// String returns the lines in sight.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.cells {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

// Mode reports whether a mode such as ?1049 is set.
func (s *screen) Mode(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.modes[name]
}

// Write takes what a program writes to its terminal.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, b...)
	for len(s.rest) > 0 {
		n := s.take(s.rest)
		if n == 0 {
			break // the rest is still to come
		}
		s.rest = s.rest[n:]
	}
	return len(b), nil
}

// take does what the first character or sequence says, and returns its length:
// 0 if it is not whole.
func (s *screen) take(b []byte) int {
	switch {
	case b[0] == 0x1b:
		return s.escape(b)
	case b[0] == '\r':
		s.col = 0
	case b[0] == '\n':
		s.down(1)
	case b[0] == '\b':
		s.col = max(0, s.col-1)
	case b[0] >= ' ':
		if !utf8.FullRune(b) {
			return 0
		}
		r, n := utf8.DecodeRune(b)
		if s.col < len(s.cells[s.row]) {
			s.cells[s.row][s.col] = r
			s.col++
		}
		return n
	}
	return 1
}

// escape takes a sequence that begins with ESC.
func (s *screen) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= '@' && b[i] <= '~' {
				s.control(string(b[2:i]), b[i])
				return i + 1
			}
		}
		return 0
	case ']': // a title or a colour: up to BEL or ESC \
		for i := 2; i < len(b); i++ {
			if b[i] == 7 {
				return i + 1
			}
			if b[i] == '\\' && b[i-1] == 0x1b {
				return i + 1
			}
		}
		return 0
	}
	return 2
}

// control does a CSI sequence.
func (s *screen) control(parameters string, final byte) {
	first, second, _ := strings.Cut(parameters, ";")
	n := number(first)
	switch final {
	case 'A':
		s.row = max(0, s.row-n)
	case 'B':
		s.row = min(len(s.cells)-1, s.row+n)
	case 'C':
		s.col += n
	case 'D':
		s.col = max(0, s.col-n)
	case 'G':
		s.col = n - 1
	case 'H':
		s.row, s.col = min(number(first), len(s.cells))-1, number(second)-1
	case 'K':
		s.erase(s.row, s.col, first)
	case 'J':
		s.eraseScreen(first)
	case 'h', 'l':
		s.modes[parameters] = final == 'h'
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 {
		return 1
	}
	return n
}

func (s *screen) down(n int) {
	for range n {
		if s.row < len(s.cells)-1 {
			s.row++
			continue
		}
		s.cells = append(s.cells[1:], []rune(strings.Repeat(" ", len(s.cells[0]))))
	}
}

// erase erases a line from a column on; all of it if how is 2.
func (s *screen) erase(row, col int, how string) {
	if how == "2" {
		col = 0
	}
	for ; col < len(s.cells[row]); col++ {
		s.cells[row][col] = ' '
	}
}

func (s *screen) eraseScreen(how string) {
	from := s.row
	if how == "2" {
		from = 0
	} else {
		s.erase(s.row, s.col, "")
		from++
	}
	for row := from; row < len(s.cells); row++ {
		s.erase(row, 0, "")
	}
}
