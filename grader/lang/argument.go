package lang

import (
	"runtime"
	"strings"
	"unicode"
)

// Argument returns a path as it is typed behind a command: in quotes where a shell would
// take it apart.
func Argument(path string) string { return argument(path, runtime.GOOS == "windows") }

func argument(path string, windows bool) string {
	plain := "/._-:"
	if windows {
		plain += `\`
	}
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(plain, r)
	}
	switch {
	case path != "" && !strings.ContainsFunc(path, special):
		return path
	case windows:
		return `"` + path + `"` // no path has quotes in it
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
