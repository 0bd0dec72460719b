package train

import (
	"context"
	"encoding/json"
	"io"
	"strconv"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// MeasureAttention measures the attention of step 08 and that of step 16 on texts whose
// lengths double, from 64 tokens to so many at the most, each in a process of its own, and calls
// each with what a length has cost. Source says whose steps they are; what these print
// goes to prints. Its errors are those of Build and of Run.
func MeasureAttention(ctx context.Context, kit *workspace.Kit, source workspace.Source, most int, prints io.Writer, each func(run.Attentions)) error {
	step, err := stepNamed("flash")
	if err != nil {
		return err
	}
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	binary, err := BuildAround(ctx, kit, source, workspace.Build{Step: step.Folder, Package: "grader/programs/attention"}, tmp.Path)
	if err != nil {
		return err
	}
	for tokens := 64; tokens <= most; tokens *= 2 {
		measured := run.Attentions{Tokens: tokens}
		for kind, cost := range map[string]*run.Attention{"naive": &measured.Naive, "flash": &measured.Flash} {
			err := Run(ctx, binary, []string{kind, strconv.Itoa(tokens)}, prints, func(e run.Event) {
				if e.Answer != nil {
					err = json.Unmarshal(e.Answer, cost)
				}
			})
			if err != nil {
				return lang.Errorf("%d tokens: %w", tokens, err)
			}
		}
		if err != nil {
			return err
		}
		each(measured)
	}
	return nil
}
