package hostile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/class"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/scratch"
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
	for _, step := range registry.Steps() {
		mine := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
			return c.Step != step.ID || c.Boxed && box.Level() == sandbox.Limits
		})
		if len(mine) == 0 {
			continue
		}
		list, err := sources(kit, step, mine, filepath.Join(dir, step.ID))
		if err != nil {
			return err
		}
		grader, err := class.NewLocal(class.Settings{Kit: kit, Steps: []*course.Step{step}, Fence: fence, Limits: limits, Seed: 1})
		if err != nil {
			return err
		}
		store := class.Dir(filepath.Join(dir, step.ID+"-results"))
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

// sources writes the submissions and lists them, the neighbour among them.
func sources(kit *workspace.Kit, step *course.Step, cases []Case, dir string) ([]class.Source, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	solution := filepath.Join(kit.Root, "solutions", step.Folder)
	neighbour := filepath.Join(dir, honest)
	if err := write(solution, filepath.Join(neighbour, step.Folder), "solution", nil); err != nil {
		return nil, err
	}
	paths := []string{neighbour}
	for _, c := range cases {
		path, err := c.write(solution, filepath.Join(dir, c.Name))
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	var list []class.Source
	for _, path := range paths {
		found, err := class.Find([]string{path}, []string{step.Folder})
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
