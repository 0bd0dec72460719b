// Package terminal finds out what a terminal can show: its width, colours, and
// characters beyond ASCII.
package terminal

import (
	"io"
	"strings"

	"golang.org/x/term"
)

// The widths that texts are laid out for; a terminal may be narrower or wider.
const (
	narrowest = 40
	widest    = 200
)

// file is what has a descriptor: an *os.File, an *Output.
type file interface{ Fd() uintptr }

// Is reports whether w is a terminal.
func Is(w any) bool {
	f, ok := w.(file)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Columns returns the width of the terminal that w is, as far as texts are laid
// out for it, and 0 if it is none.
func Columns(w io.Writer) int {
	f, ok := w.(file)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 0
	}
	return min(max(columns, narrowest), widest)
}

// Live reports whether w is a terminal on which a line can be written anew. A dumb
// one shows what would be done with it as text, and so does a console of Windows that
// has not been asked for more.
func Live(w any, getenv func(string) string) bool {
	return Is(w) && getenv("TERM") != "dumb" && sequences(w.(file).Fd())
}

// Coloured reports whether texts on w are to be coloured: on a terminal that can,
// and never against NO_COLOR (no-color.org).
func Coloured(w io.Writer, getenv func(string) string) bool {
	return Live(w, getenv) && getenv("NO_COLOR") == ""
}

// Plain reports whether the terminal has ASCII alone: it is dumb, or the locale
// says so.
func Plain(getenv func(string) string) bool {
	if getenv("TERM") == "dumb" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		switch value := getenv(name); {
		case value == "":
		case value == "C", value == "POSIX":
			return true
		default:
			_, encoding, named := strings.Cut(strings.ToLower(value), ".")
			return named && !strings.HasPrefix(strings.ReplaceAll(encoding, "-", ""), "utf8")
		}
	}
	return false
}
