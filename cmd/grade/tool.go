package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/scratch"
	"github.com/stubformer/stubformer/grader/workspace"
)

// buildTool builds a command of the kit that is a program of its own, because
// it carries libraries that most students never need. remove takes it away
// again.
func buildTool(ctx context.Context, kit *workspace.Kit, name string) (binary string, remove func(), err error) {
	dir, err := scratch.New()
	if err != nil {
		return "", nil, err
	}
	remove = func() { dir.Remove() }
	binary = filepath.Join(dir.Path, name)
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(kit.Root, "cmd", name), "-o", binary, ".")
	if output, err := build.CombinedOutput(); err != nil {
		remove()
		return "", nil, lang.Errorf("the program cmd/%s cannot be built: %w\n%s", name, err, output)
	}
	return binary, remove, nil
}
