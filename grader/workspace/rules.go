package workspace

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
)

// rules are what the code of one step may use.
type rules struct {
	step  *course.Step
	needs []*course.Step // what it may import, in order
	all   []*course.Step
}

// rules returns those of a folder. A course that does not list it is the
// grader's own mistake.
func (b Build) rules(folder string) (rules, error) {
	i := slices.IndexFunc(b.Course, func(s *course.Step) bool { return s.Folder == folder })
	if i < 0 {
		return rules{}, lang.Errorf("the course that %s is built in does not list %s, "+
			"so nothing says what it may use", b.Step, folder)
	}
	return rules{b.Course[i], course.Prerequisites(b.Course, b.Course[i]), b.Course}, nil
}

// imports reports whether the step may import a package, in whole or in part.
func (r rules) imports(path string) bool {
	folder, isStep := strings.CutPrefix(path, stepsPath)
	return isStep && has(r.needs, folder) || r.step.Uses.Package(path)
}

func has(steps []*course.Step, folder string) bool {
	return slices.ContainsFunc(steps, func(s *course.Step) bool { return s.Folder == folder })
}

// refusal says why the step must not import a package, if so.
func (r rules) refusal(imported string) lang.Text {
	inside, ours := strings.CutPrefix(imported, module+"/")
	first, _, _ := strings.Cut(imported, "/")
	step, isStep := strings.CutPrefix(imported, stepsPath)
	switch {
	case r.imports(imported):
		return lang.Text{}
	case imported == "C":
		return lang.T("a step is written in Go alone")
	case !ours && !strings.Contains(first, "."):
		return standard(imported)
	case !ours:
		return lang.T("a step uses the standard library, reference/tensor, reference/kernel " +
			"and the steps that it is built on, and no other module")
	case strings.HasPrefix(inside, "solutions/"):
		return lang.T("the solutions are there to be read; write the step yourself, importing steps/...")
	case inside == "reference/oracle" || inside == "reference/autodiff":
		return lang.T("it computes the expected values; derive the formula and write it yourself")
	case !isStep:
		return lang.T("a step uses reference/tensor, reference/kernel " +
			"and the steps that it is built on, and nothing else of this module")
	case step == r.step.Folder || strings.HasPrefix(step, r.step.Folder+"/"):
		return lang.T("a step is one package: it cannot import itself or a folder inside it")
	case !has(r.all, step):
		return lang.T("there is no such step")
	case len(r.needs) == 0:
		return lang.T("%s is built on no other step", r.step.ID)
	}
	var needs []string
	for _, s := range r.needs {
		needs = append(needs, s.ID)
	}
	return lang.T("%s is built on %s, and on no other step", r.step.ID, strings.Join(needs, ", "))
}

// standard says why a step must not import a package of the standard library.
func standard(imported string) lang.Text {
	first, _, _ := strings.Cut(imported, "/")
	switch imported {
	case "unsafe", "reflect", "text/template", "html/template":
		return lang.T("it goes around Go's types; a step is plain Go code")
	case "os/exec", "os/signal", "os/user", "log/syslog", "mime/multipart":
		first = "net"
	case "archive/tar", "archive/zip", "embed", "go/build", "go/importer", "go/parser",
		"io/ioutil", "mime":
		return lang.T("it reads files; a step computes from what it is given, and has os where it is to read and write files")
	case "flag", "log/slog":
		first = "runtime"
	}
	switch first {
	case "net", "syscall", "plugin", "database":
		return lang.T("a step computes; it has no business with the network, the system or other programs")
	case "runtime", "debug", "testing", "expvar":
		return lang.T("it looks at the program that a step is built into; a step computes from what it is given")
	case "crypto":
		return lang.T("it takes random numbers or keys from the system; a step computes from what it is given")
	}
	return lang.T("of the standard library a step may use what only computes, " +
		"such as fmt, math, slices, sort, strings and sync; is the name right?")
}

// directive returns the compiler's directive that a comment is, if a step may
// not hold it; "" otherwise.
func directive(comment string) string {
	word, _, _ := strings.Cut(strings.TrimSuffix(comment, "*/"), " ")
	word = strings.TrimSpace(word)
	switch {
	case word == "//line" || word == "/*line" || word == "//export" || strings.HasPrefix(word, "//extern"):
		return word
	case !strings.HasPrefix(word, "//go:"), word == "//go:build", word == "//go:generate", word == "//go:noinline", word == "//go:fix":
		return ""
	}
	return word
}
