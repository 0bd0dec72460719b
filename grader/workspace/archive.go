package workspace

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pack writes files as an archive of the txtar format: a comment, and each file behind a
// line "-- name --". It reports whether unpack would give the files back as they are.
func pack(comment string, files map[string][]byte) (data []byte, ok bool) {
	out, ok := bytes.NewBufferString(comment), true
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(out, "-- %s --\n%s", name, files[name])
		ok = ok && (len(files[name]) == 0 || bytes.HasSuffix(files[name], []byte("\n")))
	}
	return out.Bytes(), ok && maps.EqualFunc(unpack(out.Bytes()), files, bytes.Equal)
}

// unpack returns the files of an archive, by name.
func unpack(data []byte) map[string][]byte {
	files, name := map[string][]byte{}, ""
	for line := range bytes.Lines(data) {
		if next := marked(string(line)); next != "" {
			name = next
			files[name] = []byte{}
		} else if name != "" {
			files[name] = append(files[name], line...)
		}
	}
	return files
}

// marked is the name in a line that begins a file; "" for any other line.
func marked(line string) string {
	name, begins := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
	name, ends := strings.CutSuffix(name, " --")
	if !begins || !ends {
		return ""
	}
	return strings.TrimSpace(name)
}
