package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/grader/course"
)

// Edited says that the student's editor has ended.
type Edited struct{ Err error }

// Edit opens the student's editor, which VISUAL or EDITOR names, at the line of the
// step that a message names, or else at the first function that is not written.
func (e *Engine) Edit(step *course.Step, files []string, message string) tea.Cmd {
	file, line := place(filepath.Join(e.kit.Root, "steps", step.Folder), files, message)
	words := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi"))
	cmd := exec.Command(words[0], append(words[1:], at(words[0], file, line)...)...)
	cmd.Dir = e.kit.Root
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return Edited{err} })
}

// at are the arguments that open a file at a line.
func at(editor, file string, line int) []string {
	switch strings.TrimSuffix(filepath.Base(editor), ".exe") {
	case "code", "code-insiders", "codium":
		return []string{"--goto", fmt.Sprintf("%s:%d", file, line)}
	case "subl", "zed", "hx":
		return []string{fmt.Sprintf("%s:%d", file, line)}
	}
	return []string{"+" + strconv.Itoa(line), file} // vi, vim, nano, emacs, micro
}

// named matches a place in a file, as messages write it.
var named = regexp.MustCompile(`([\w-]+\.go):(\d+)`)

// place returns a file of the step's folder and a line of it.
func place(folder string, files []string, message string) (file string, line int) {
	for _, m := range named.FindAllStringSubmatch(message, -1) {
		if slices.Contains(files, m[1]) {
			line, _ = strconv.Atoi(m[2]) // digits, as the pattern has it
			return filepath.Join(folder, m[1]), line
		}
	}
	for _, name := range files {
		source, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		if before, _, found := bytes.Cut(source, []byte("tensor.TODO(")); found {
			return filepath.Join(folder, name), 1 + bytes.Count(before, []byte("\n"))
		}
	}
	if len(files) == 0 {
		return folder, 1
	}
	return filepath.Join(folder, files[0]), 1
}
