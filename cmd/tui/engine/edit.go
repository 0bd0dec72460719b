package engine

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace/excerpt"
)

// Edited says that the student's editor has ended.
type Edited struct{ Err error }

// Edit opens the student's editor, which VISUAL or EDITOR names, at the line of the
// step that a message names, or else at the first function that is not written.
func (e *Engine) Edit(step *course.Step, files []string, message string) tea.Cmd {
	file, line := excerpt.Place(filepath.Join(e.kit.Root, "steps", step.Folder), files, "", message)
	words := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), everywhere(runtime.GOOS)))
	cmd := exec.Command(words[0], append(words[1:], at(words[0], file, line)...)...)
	cmd.Dir = e.kit.Root
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return Edited{err} })
}

// everywhere is the editor that every machine of a system has.
func everywhere(system string) string {
	if system == "windows" {
		return "notepad"
	}
	return "vi"
}

// at are the arguments that open a file at a line.
func at(editor, file string, line int) []string {
	switch strings.TrimSuffix(filepath.Base(editor), ".exe") {
	case "code", "code-insiders", "codium":
		return []string{"--goto", fmt.Sprintf("%s:%d", file, line)}
	case "subl", "zed", "hx":
		return []string{fmt.Sprintf("%s:%d", file, line)}
	case "notepad":
		return []string{file} // it knows no lines
	}
	return []string{"+" + strconv.Itoa(line), file} // vi, vim, nano, emacs, micro
}
