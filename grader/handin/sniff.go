package handin

import (
	"bytes"
	"io"
)

// sniff returns the ending that fits how a file begins, which its name need not have; ""
// if that says nothing.
func sniff(f io.ReaderAt) string {
	const ustar = 257 // where a tar, which begins with a name, says what it is
	head := make([]byte, ustar+5)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	for _, k := range []struct{ begins, ending string }{
		{"PK\x03\x04", ".zip"}, {"PK\x05\x06", ".zip"},
		{"\x1f\x8b", ".tar.gz"}, {"BZh", ".tar.bz2"}, {"\xfd7zXZ\x00", ".tar.xz"}, {"\x28\xb5\x2f\xfd", ".tar.zst"},
		{"Rar!\x1a\x07", ".rar"}, {"7z\xbc\xaf\x27\x1c", ".7z"},
	} {
		if bytes.HasPrefix(head, []byte(k.begins)) {
			return k.ending
		}
	}
	if len(head) > ustar && string(head[ustar:]) == "ustar" {
		return ".tar"
	}
	return ""
}
