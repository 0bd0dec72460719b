// Package trace shortens the stack traces of the Go runtime to what a student
// wants to read: their own code, innermost first.
package trace

import (
	"path"
	"strings"
)

const module = "github.com/stubformer/stubformer/"

// longest is how many frames are kept.
const longest = 10

// Student returns the frames of a stack trace that lie in the course's code,
// one a line, with paths as the student knows them:
//
//	steps/step05_swiglu/swiglu.go:41 (*SwiGLU).Forward
//
// Frames of the standard library, of the grader and of a step's binding are
// left out. If several goroutines are listed, the first that has such a frame
// counts. The result is empty if none has, or if text is no trace.
func Student(text string) string {
	var frames []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "goroutine ") && len(frames) > 0 {
			break
		}
		if i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "\t") {
			continue
		}
		if f := frame(line, strings.TrimSpace(lines[i+1])); f != "" {
			frames = append(frames, f)
		}
	}
	if len(frames) > longest {
		frames = append(frames[:longest], "…")
	}
	return strings.Join(frames, "\n")
}

// frame joins the two lines of one frame, or returns "" if it is not the
// student's:
//
//	github.com/stubformer/stubformer/steps/step05_swiglu.SiLU({0xc0001, 0x2, 0x2}, …)
//		/home/ada/stubformer/steps/step05_swiglu/swiglu.go:41 +0x1d
func frame(function, place string) string {
	function, ours := strings.CutPrefix(strings.TrimPrefix(function, "created by "), module)
	if !ours || strings.HasPrefix(function, "grader/probe/subject.") {
		return ""
	}
	slash := strings.LastIndex(function, "/") + 1
	dot := strings.Index(function[slash:], ".") + slash
	if dot < slash {
		return ""
	}
	folder, name := function[:dot], function[dot+1:]
	if i := strings.LastIndex(name, "("); i > 0 && !strings.HasPrefix(name[i:], "(*") {
		name = name[:i]
	}
	name, _, _ = strings.Cut(name, " in goroutine ")
	place, _, _ = strings.Cut(place, " +0x")
	place = path.Base(strings.ReplaceAll(place, `\`, "/"))
	if file, _, _ := strings.Cut(place, ":"); strings.HasSuffix(file, "_test.go") {
		return ""
	}
	return folder + "/" + place + " " + name
}
