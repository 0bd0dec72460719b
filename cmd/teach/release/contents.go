package release

import (
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
)

// handedOut is what lies at the top of a kit and may be in an edition. Anything
// else there, such as a gradebook or a folder of submissions, stays at home.
var handedOut = []string{
	".ci", ".devcontainer", ".editorconfig", ".gitattributes", ".github", ".gitignore", ".vscode", "CHANGELOG.md", "CONTRIBUTING.md",
	"CURRICULUM.md", "CURRICULUM.zh-CN.md", "LICENSE", "README.md", "README.zh-CN.md", "bench", "cmd", "docs", "fixtures",
	"go.mod", "go.sum", "grader", "notebooks", "reference", "solutions", "steps", "tools.mod", "tools.sum",
}

// keptBack is what a student edition must not hold: the answers, and the tools
// of those who teach or work on the course, which need them.
var keptBack = []string{
	"solutions", "reference/oracle", "reference/autodiff", // the answers
	"fixtures/*.py", "fixtures/generate", "bench", // the answers in PyTorch
	"grader/course/*/mistakes", "grader/mistake",
	"cmd/teach", "cmd/author", "cmd/class-worker", "grader/studio/explore/browser",
	".ci", ".github/workflows/ci.yml", ".github/workflows/release.yml", ".github/SECURITY.md", "CONTRIBUTING.md", "docs/*.md", "tools.mod", "tools.sum",
}

// holds reports whether the edition holds a file or folder of the kit; name is
// its path from the root, with slashes.
func (e *edition) holds(name string) bool {
	top, _, nested := strings.Cut(name, "/")
	base := path.Base(name)
	switch {
	case !slices.Contains(handedOut, top):
		return false
	case nested && strings.HasPrefix(base, ".") || strings.HasSuffix(base, ".test") || strings.HasSuffix(base, ".prof"):
		return false
	case e.WithoutSolutions && slices.ContainsFunc(keptBack, func(pattern string) bool { return under(name, pattern) }):
		return false
	case !e.whole() && top != "steps" && top != "solutions" && (strings.HasSuffix(base, "_test.go") || base == "testdata"):
		return false // they test the whole course, against the solutions
	case !e.whole() && name == "docs/architecture.md":
		return false // it lists every package of the kit
	case e.lacksCore() && top == "notebooks":
		return false // they are built on the whole model
	}
	return !e.ofLeftOutStep(name)
}

// whole reports whether the edition is the kit itself with its stubs untouched.
func (e *edition) whole() bool {
	return !e.WithoutSolutions && !e.ForwardOnly && len(e.leftOut) == 0
}

// lacksCore reports whether a step of the core is left out.
func (e *edition) lacksCore() bool { return len(course.OfTrack(e.leftOut, course.Core)) > 0 }

// ofLeftOutStep reports whether a file or folder belongs to a step that the
// edition leaves out.
func (e *edition) ofLeftOutStep(name string) bool {
	for _, s := range e.leftOut {
		for _, pattern := range []string{"steps/" + s.Folder, "solutions/" + s.Folder, "fixtures/" + s.Folder,
			"grader/course/" + s.Folder, "grader/workspace/pristine/" + s.Folder + ".txtar",
			"cmd/teach/quiz/banks/" + s.Folder + ".md"} {
			if under(name, pattern) {
				return true
			}
		}
	}
	return false
}

// under reports whether name is what the pattern matches, or lies in it.
func under(name, pattern string) bool {
	for ; name != "."; name = path.Dir(name) {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}
