package workspace

import (
	"bytes"
	"fmt"
	"go/scanner"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace/excerpt"
)

// maxLines is how many compile errors a CompileError keeps.
const maxLines = 10

// CompileError says that the student's code does not compile.
type CompileError struct {
	Folder  string        // step that the first error sits in
	Lines   []CompileLine // the first errors
	Excerpt string        // the source around the first one; see excerpt.Of
	Note    lang.Text     // what they mean for the student; empty if they speak for themselves
	Raw     string        // what the go command printed; "" if it was not needed
}

// CompileLine is one error of the compiler.
type CompileLine struct {
	File      string // as the student calls it
	Line, Col int    // Col is 0 if it is not known
	Message   string // may have further lines, indented
}

func (l CompileLine) String() string { return l.place() + ": " + l.Message }

// place is where the error is, as compilers write it.
func (l CompileLine) place() string {
	if l.Col == 0 {
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Col)
}

func (e *CompileError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p: the first one, its line of code, and how
// many others there are, which may be there because of it. The compiler's own words
// stay English.
func (e *CompileError) In(p lang.Printer) string {
	parts := []string{}
	if len(e.Lines) > 0 {
		parts = append(parts, e.Lines[0].String())
	}
	if e.Excerpt != "" {
		parts = append(parts, e.Excerpt)
	}
	switch others := len(e.Lines) - 1; {
	case others == 1:
		parts = append(parts, p.Say("1 more error, at %s.", e.Lines[1].place()))
	case others > 1:
		parts = append(parts, p.Say("%d more errors, the next at %s.", others, e.Lines[1].place()))
	}
	if !e.Note.Empty() {
		parts = append(parts, e.Note.In(p))
	}
	return strings.Join(parts, "\n\n")
}

// add keeps a line unless there are enough, and of the first the source around it.
func (e *CompileError) add(l CompileLine, source []byte) {
	if len(e.Lines) == 0 {
		e.Excerpt = excerpt.Of(source, l.Line, l.Col)
	}
	if len(e.Lines) < maxLines {
		e.Lines = append(e.Lines, l)
	}
}

// addSyntax keeps the syntax errors that the parser found in a file, and says where
// they begin if a merge has left its markers there.
func (e *CompileError) addSyntax(list scanner.ErrorList, file string, source []byte) {
	for _, s := range list {
		e.add(CompileLine{File: file, Line: s.Pos.Line, Col: s.Pos.Column, Message: "syntax error: " + s.Msg}, source)
	}
	if line := merged(source); line > 0 && e.Note.Empty() {
		e.Note = lang.T("From line %d of %s on there are two versions, which a merge could not join: yours and the other's. "+
			"Keep one of them, or what you need of both, and remove the lines that begin with <<<<<<<, |||||||, ======= and >>>>>>>.", line, file)
	}
}

// merged returns the number of the first line with a marker of a merge; 0 for none.
func merged(source []byte) int {
	n := 0
	for line := range bytes.Lines(source) {
		n++
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return n
		}
	}
	return 0
}

// diagnostic is a compile error, and where it sits.
type diagnostic struct {
	CompileLine
	code *code
	name string // of the file
}

// readFailure turns the go command's output into a CompileError in terms of the
// student's files, or into another error if the fault is a prerequisite's. It is nil if
// no fault lies in what the part is built from.
func (k *Kit) readFailure(output string, p *part, tmp string) error {
	found := k.diagnostics(output, p, tmp)
	if len(found) == 0 {
		return nil
	}
	first := found[0].code
	e := &CompileError{Folder: first.step(), Raw: output}
	for _, d := range found {
		e.add(d.CompileLine, d.code.files[d.name])
	}
	e.Note = k.note(p.Build, p.seated, found)
	return p.attribute(first.step(), e)
}

// compilerLine matches "steps/step02_linear/linear.go:12:3: undefined: x".
var compilerLine = regexp.MustCompile(`^(.+\.go):(\d+)(?::(\d+))?: (.*)$`)

// diagnostics returns the errors in the go command's output that sit in the
// snapshot. Indented lines belong to the error above them.
func (k *Kit) diagnostics(output string, p *part, tmp string) []diagnostic {
	var found []diagnostic
	inside := false // the last error is in the snapshot
	for line := range strings.Lines(output) {
		text, indented := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "\t")
		var d diagnostic
		m := compilerLine.FindStringSubmatch(text)
		if m != nil {
			d.code, d.name = k.locate(m[1], p, tmp)
		}
		if d.code != nil {
			d.File = filepath.Join(d.code.shown, d.name)
			text = d.File + strings.TrimPrefix(text, m[1])
		}
		switch {
		case indented && inside:
			found[len(found)-1].Message += "\n\t" + text
		case !indented && d.code != nil:
			d.Line, _ = strconv.Atoi(m[2]) // digits, as the pattern has it
			d.Col, _ = strconv.Atoi(m[3])
			d.Message = m[4]
			if p.booth != "" {
				d.Message = strings.ReplaceAll(m[4], p.booth+"/", "")
			}
			found, inside = append(found, d), true
		case !indented:
			inside = false
		}
	}
	return found
}

// locate finds the file of the snapshot that a path in the go command's output
// stands for. The go command shortens paths as if they were mere text: below
// /tmp/kit it writes .-scratch/… for /tmp/kit-scratch/…. What such a path ends
// in is left, and no other folder's name is that of tmp, which was drawn.
func (k *Kit) locate(file string, p *part, tmp string) (*code, string) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(k.Root, file)
	}
	inside, ok := strings.CutPrefix(file, filepath.Join(k.Root, "steps")+string(filepath.Separator))
	if !ok {
		_, inside, ok = strings.Cut(file, string(filepath.Separator)+filepath.Base(tmp)+string(filepath.Separator))
	}
	folder, name := path.Split(filepath.ToSlash(inside))
	switch folder = path.Clean(folder); folder {
	case path.Join(p.booth, "binding"):
		folder, name = p.Step, unbound(name)
	case path.Join(p.booth, p.Step):
		folder = p.Step
	}
	c := p.seated[folder]
	if !ok || c == nil {
		return nil, ""
	}
	if _, ok := c.files[name]; !ok {
		return nil, ""
	}
	return c, name
}

// ownWords returns the lines of the go command's output that it wrote itself:
// those that no source file can have a part in.
func ownWords(output string) string {
	var own strings.Builder
	inside := false // a compile error, which indented lines belong to
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "\t") {
			inside = compilerLine.MatchString(strings.TrimRight(line, "\r\n"))
		}
		if !inside {
			own.WriteString(line)
		}
	}
	return own.String()
}
