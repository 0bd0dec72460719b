package figure

import (
	"context"
	"errors"
	"strings"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/wire"
)

// code is a step's code in a process of its own, ready to be called.
type code struct {
	step    *course.Step
	subject *probe.Subject
	dir     *scratch.Folder
	impl    grader.Impl
	lang    lang.Printer
}

// open builds the code of a step (the earlier steps are the solutions' where
// the kit holds them, as in grading). The caller closes it.
func (o Options) open(ctx context.Context, id string) (*code, error) {
	step, err := course.Find(registry.Steps(), id)
	if err != nil {
		return nil, err
	}
	folders, err := o.Kit.Folders()
	if err != nil {
		return nil, err
	}
	sources := map[string]workspace.Source{}
	for _, folder := range folders {
		if sources[folder] = workspace.Own(); o.Kit.HasSolutions(folder) && (folder != step.Folder || o.Impl == grader.Solutions) {
			sources[folder] = workspace.Solutions()
		}
	}
	dir, err := scratch.New()
	if err != nil {
		return nil, err
	}
	probes, errs := o.Kit.Probes(ctx, []workspace.Build{{Course: registry.Steps(), Step: step.Folder, Sources: sources}}, dir.Path)
	if errs[0] != nil {
		return nil, errors.Join(broken(step, errs[0]), dir.Remove())
	}
	return &code{step, probe.New(probe.Command{Path: probes[0].Path, Env: probes[0].Env, Box: o.Box}, probe.DefaultLimits()), dir, o.Impl, o.Lang}, nil
}

// broken puts the error of a build into a sentence.
func broken(step *course.Step, err error) error {
	var compile *workspace.CompileError
	if errors.As(err, &compile) {
		return lang.Errorf("%s does not compile:\n%w", step.ID, err)
	}
	return err
}

// call calls one of the step's functions, such as rope.forward, and returns its
// results by name.
func (c *code) call(ctx context.Context, function string, in wire.Values) (wire.Values, error) {
	out, err := c.subject.Call(ctx, function, in)
	var f *verdict.Failure
	if errors.As(err, &f) {
		return nil, c.failure(function, f)
	}
	return out, err
}

// failure puts into a sentence what became of a call.
func (c *code) failure(function string, f *verdict.Failure) error {
	if f.Kind == verdict.NotImplemented {
		return lang.Errorf("%s is not implemented yet, so there is nothing to draw. Next: go run ./cmd/grade %s", f.What, c.step.ID)
	}
	why := f.Kind.Text()
	if !f.Message.Empty() {
		why = lang.T("%s: %s", why, lang.Raw(strings.TrimRight(f.Message.In(c.lang), "。. ")))
	}
	return lang.Errorf("%s did not return its results: %s. To see what is wrong: go run ./cmd/grade %s", function, why, c.step.ID)
}

// floats returns the array of n float32 that has a name.
func (c *code) floats(out wire.Values, name string, n int) ([]float32, error) {
	v := out[name]
	if v.DType != wire.F32 || v.Len() != n {
		return nil, lang.Errorf("%s has %s of %d elements, want %d; to see what is wrong: go run ./cmd/grade %s",
			c.step.ID, name, len(v.F32), n, c.step.ID)
	}
	return v.F32, nil
}

// owner says whose code a picture shows.
func (c *code) owner() string {
	if c.impl == grader.Solutions {
		return c.lang.Say("the solution of %s", c.step.ID)
	}
	return c.lang.Say("your %s", c.step.ID)
}

// close ends the process and removes what was built.
func (c *code) close() {
	c.subject.Close()
	c.dir.Remove()
}
