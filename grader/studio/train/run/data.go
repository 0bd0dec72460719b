package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// Data are the files of a run that it was made with, by name. With others it
// would give other weights.
type Data map[string]Fingerprint

// Fingerprint is what a file is known by.
type Fingerprint struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func fingerprint(content []byte) Fingerprint {
	sum := sha256.Sum256(content)
	return Fingerprint{len(content), hex.EncodeToString(sum[:])}
}

// CheckData returns an error if a file of the folder is not the one that the run
// was made with. A run of an earlier version, which does not say, passes.
func (c Config) CheckData(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(c.Data)) {
		path, want := filepath.Join(dir, name), c.Data[name]
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return lang.Errorf("%s is missing; put it back, or begin a new run", path)
		}
		if err != nil {
			return err
		}
		switch got := fingerprint(content); {
		case got.Bytes != want.Bytes:
			return lang.Errorf("%s has %d bytes, and had %d when the run was made: "+
				"with another text the run would not be the same; put the file back, or begin a new run", path, got.Bytes, want.Bytes)
		case got != want:
			return lang.Errorf("%s is not as it was when the run was made: its SHA-256 is %s, and was %s; "+
				"put the file back, or begin a new run", path, got.SHA256, want.SHA256)
		}
	}
	return nil
}
