package workspace

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
)

// Caches are where the go command keeps what it has compiled and downloaded, and itself.
type Caches struct{ GOROOT, GOCACHE, GOMODCACHE string }

// Caches asks the go command where its caches are. If it knows no folder for them, for
// want of a home, the error is a *scratch.MachineError.
func (k *Kit) Caches(ctx context.Context) (Caches, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOCACHE", "GOMODCACHE")
	cmd.Dir = k.Root
	var c Caches
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &c)
	}
	if err != nil {
		return c, lang.Errorf("the go command does not say where its caches are: %w", err)
	}
	if !filepath.IsAbs(c.GOCACHE) || !filepath.IsAbs(c.GOMODCACHE) { // it says "off", or nothing
		return c, homeless()
	}
	return c, nil
}

// nowhere matches the words of a go command that knows no folder for its caches.
var nowhere = regexp.MustCompile(`Files beneath GOMODCACHE \(\) must not be replaced|build cache is (required, but could not be located|disabled by)|module cache not found`)

func homeless() error {
	return &scratch.MachineError{Err: lang.Errorf("the go command knows no folder for what it compiles and downloads: " +
		"set HOME to your home folder, or GOCACHE and GOMODCACHE to two folders")}
}
