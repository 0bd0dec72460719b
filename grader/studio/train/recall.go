package train

import (
	"context"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// BuildRecall builds the program in which a model learns to recall, as Build does.
func BuildRecall(ctx context.Context, kit *workspace.Kit, source workspace.Source, model run.Model, outDir string) (binary string, err error) {
	guests, err := Seats(model)
	if err != nil {
		return "", err
	}
	return BuildAround(ctx, kit, source, workspace.Build{Step: lastStep, Package: "grader/programs/recall", With: guests}, outDir)
}
