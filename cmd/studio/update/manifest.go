package update

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/reference/newline"
)

// ManifestFile lists the files that an edition of the kit was handed out with,
// as sha256sum does. What stands in it, and is as it was but for the ends of its
// lines, is the kit's; anything else may be somebody's own.
const ManifestFile = ".manifest"

// WriteManifest writes the manifest of the edition in root.
func WriteManifest(root string) error {
	var b bytes.Buffer
	err := eachFile(root, func(name string) error {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err == nil && name != ManifestFile {
			fmt.Fprintf(&b, "%s  %s\n", sum(data), name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, ManifestFile), b.Bytes(), 0o644)
}

// parseManifest returns the sums of a kit's files by name; none of an empty
// manifest, such as that of a clone of the repository, which has none.
func parseManifest(data []byte) map[string]string {
	sums := map[string]string{}
	for line := range bytes.Lines(data) {
		if hash, name, found := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte("  ")); found {
			sums[string(name)] = string(hash)
		}
	}
	return sums
}

// sum is what a file's content is known by: a text by its lines, however they end.
func sum(data []byte) string {
	s := sha256.Sum256(newline.Unix(data))
	return hex.EncodeToString(s[:])
}
