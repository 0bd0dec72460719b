package update

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/host/scratch"
)

// errNoGit says that git, which merges, is not installed.
var errNoGit = errors.New("git is not installed")

// threeWay merges two texts that began as the same base, line by line, with
// git merge-file. Where both changed the same lines, both versions and the base
// stand in the result, between markers.
func threeWay(ctx context.Context, mine, base, theirs []byte) (merged []byte, conflicts bool, err error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, false, errNoGit
	}
	dir, err := scratch.New()
	if err != nil {
		return nil, false, err
	}
	defer dir.Remove()
	args := []string{"merge-file", "-p", "--diff3", "-L", "yours", "-L", "the stub you began with", "-L", "the new stub"}
	for _, f := range []struct {
		name string
		data []byte
	}{{"mine", mine}, {"base", base}, {"new", theirs}} {
		path := filepath.Join(dir.Path, f.name)
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return nil, false, err
		}
		args = append(args, path)
	}
	var complaint strings.Builder
	cmd := exec.CommandContext(ctx, git, args...)
	cmd.Stderr = &complaint
	merged, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128 { // the number of conflicts
		return merged, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("git merge-file failed: %w %s", err, strings.TrimSpace(complaint.String()))
	}
	return merged, false, nil
}
