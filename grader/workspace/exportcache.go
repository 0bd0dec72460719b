package workspace

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/host/whole"
)

// exportsKey returns a hash of all that the places of export data depend on: the
// go command, its settings, and the kit's own packages with what they require.
func (k *Kit) exportsKey(env []string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, "with all that they import", k.Root) // the go command keeps what it compiled by where it lay
	if goCommand, err := exec.LookPath("go"); err == nil {
		if info, err := os.Stat(goCommand); err == nil {
			fmt.Fprintln(h, goCommand, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, e := range append(environment(os.Environ()), env...) {
		if strings.HasPrefix(e, "GO") {
			fmt.Fprintln(h, e)
		}
	}
	config, _ := os.UserConfigDir() // where there is none, the go command has no settings there
	settings := cmp.Or(os.Getenv("GOENV"), filepath.Join(config, "go", "env"))
	files := []string{settings, filepath.Join(k.Root, "go.mod"), filepath.Join(k.Root, "go.sum")}
	for _, name := range []string{"tensor", "kernel"} {
		inside, err := filepath.Glob(filepath.Join(k.Root, "reference", name, "*.[ghs]*"))
		if err != nil {
			return "", err
		}
		files = append(files, inside...)
	}
	for _, file := range files {
		if err := hashFile(h, file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), nil
}

func hashFile(h io.Writer, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(h, filepath.Base(file), len(data), string(data))
	return err
}

// exportsFile returns where the places are kept from one process to the next.
func exportsFile(key string) (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "stubformer", "exports-"+key+".json"), err
}

// readExports returns the places that were kept; nil if there are none.
func readExports(key string) (files map[string]string) {
	path, err := exportsFile(key)
	if err != nil {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &files) != nil {
		return nil
	}
	return files
}

// writeExports keeps the places. Where they cannot be kept, the go command is
// asked again next time.
func writeExports(key string, files map[string]string) {
	path, err := exportsFile(key)
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if data, err := json.Marshal(files); err == nil {
		_ = whole.Write(path, data)
	}
}
