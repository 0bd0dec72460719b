// Package newline makes a text the same wherever it was checked out: Git for Windows
// ends every line of a text with CRLF unless it is told otherwise.
package newline

import (
	"io/fs"
	"strings"
)

// Unix returns a text whose lines end in LF alone. What holds a zero byte is no text,
// as for Git, and is returned as it is.
func Unix[T string | []byte](text T) T {
	if strings.IndexByte(string(text), 0) >= 0 {
		return text
	}
	return T(strings.ReplaceAll(string(text), "\r\n", "\n"))
}

// FS is a file system whose texts, read by fs.ReadFile, have lines that end in LF alone.
type FS struct{ fs.FS }

// ReadFile implements fs.ReadFileFS.
func (f FS) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(f.FS, name)
	return Unix(data), err
}
