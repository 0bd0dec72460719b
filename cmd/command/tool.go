package command

import (
	"context"
	"errors"

	"github.com/stubformer/stubformer/cmd/command/launch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// BuildTool returns the path of another program of the kit, which is compiled if need be.
func BuildTool(ctx context.Context, kit *workspace.Kit, name string) (binary string, err error) {
	binary, err = launch.Program(ctx, kit.Root, name, nil)
	var failed *launch.BuildError
	if errors.As(err, &failed) {
		err = lang.Errorf("the program cmd/%s cannot be built: %w\n%s", name, failed.Err, failed.Output)
	}
	return binary, err
}
