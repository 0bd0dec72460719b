package hostile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// honest is the name of the neighbour, a solution.
const honest = "an-honest-neighbour"

// Run grades cases in a box, as one class, with an honest neighbour for every
// step, and calls done with every result: what is wrong with it, or "". The
// folder for temporary files must be empty before, and Run says what is left in
// it.
func Run(ctx context.Context, kit *workspace.Kit, box *sandbox.Box, cases []Case, jobs int, done func(name, problem string)) error {
	fence, err := kit.Fence(ctx, box)
	if err != nil {
		return err
	}
	fence.Time = 15 * time.Second
	limits := probe.DefaultLimits()
	limits.Start, limits.Call, limits.Memory, limits.Output = 5*time.Second, 2*time.Second, 1<<30, 8<<20
	limits.Budget, limits.Disk = 20*time.Second, 64<<20
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	dir := tmp.Path
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return c.Boxed && !box.FencesFiles() })
	for _, steps := range together(cases) {
		mine := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !slices.Equal(c.graded(), steps) })
		of, err := find(steps)
		if err != nil {
			return err
		}
		at := filepath.Join(dir, strings.Join(steps, "-"))
		list, err := sources(kit, of, mine, at)
		if err != nil {
			return err
		}
		grader, err := class.NewLocal(class.Settings{Kit: kit, Steps: of, Fence: fence, Limits: limits, Seed: 1})
		if err != nil {
			return err
		}
		store := class.Dir(at + "-results")
		err = class.Run(ctx, grader, store, list, jobs, false, func(e class.Event) { done(e.Name, judge(mine, e)) })
		if err != nil {
			return err
		}
	}
	if err := tmp.Remove(); err != nil {
		return err
	}
	if left := leftBehind(); left != "" {
		done("what is left behind", left)
	}
	return nil
}

// graded lists the steps of a case that are graded, the one that is judged first.
func (c Case) graded() []string {
	if c.With == "" {
		return []string{c.Step}
	}
	return []string{c.Step, c.With}
}

// together lists the steps that are graded together in the cases, each list once.
func together(cases []Case) (all [][]string) {
	for _, c := range cases {
		if !slices.ContainsFunc(all, func(steps []string) bool { return slices.Equal(steps, c.graded()) }) {
			all = append(all, c.graded())
		}
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

func find(ids []string) (steps []*course.Step, err error) {
	for _, id := range ids {
		step, err := course.Find(registry.Steps(), id)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// sources writes the submissions and lists them, the neighbour among them.
func sources(kit *workspace.Kit, steps []*course.Step, cases []Case, dir string) ([]class.Source, error) {
	neighbour := filepath.Join(dir, honest)
	var folders []string
	for _, step := range steps {
		folders = append(folders, step.Folder)
		err := write(filepath.Join(kit.Root, "solutions", step.Folder), filepath.Join(neighbour, step.Folder), "solution", nil)
		if err != nil {
			return nil, err
		}
	}
	paths := []string{neighbour}
	for _, c := range cases {
		path, err := c.write(filepath.Join(kit.Root, "solutions", steps[0].Folder), filepath.Join(dir, c.Name))
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	var list []class.Source
	for _, path := range paths {
		found, err := class.Find([]string{path}, folders)
		if err != nil {
			return nil, err
		}
		list = append(list, found.Sources...)
	}
	return list, nil
}

func judge(cases []Case, e class.Event) string {
	s := e.Report.Steps[0]
	if i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == e.Name }); i >= 0 {
		return cases[i].Judge(s)
	}
	if s.Verdict != verdict.Passed {
		return "the marks of a neighbour were touched: " + s.Points() + "\n" + messages(s)
	}
	return ""
}

func messages(s report.Step) string {
	var all []string
	for _, c := range s.Checks {
		all = append(all, c.Message)
	}
	return strings.Join(all, "\n")
}

// leftBehind lists the files in the folder for temporary files, and the
// processes that were started from there and belong to nobody.
func leftBehind() string {
	var left []string
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		left = append(left, filepath.Join(os.TempDir(), e.Name()))
	}
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && scratch.Holds(exe) {
			left = append(left, fmt.Sprintf("%s is %s", filepath.Dir(link), exe))
		}
	}
	return strings.Join(left, "\n")
}
