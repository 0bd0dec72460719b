package grader

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
)

// rightFolder holds programs that are right and unlike the solution, by step and
// name: stepNN_x/NAME/*.go. What a program leaves out, it has from the solution.
const rightFolder = "grader/testdata/right"

// RightPrograms returns the programs of the kit that must have full marks in a
// step: the solution, and those that are right and unlike it, ordered by name.
func RightPrograms(kit *workspace.Kit, step *course.Step, request Request) ([]Program, error) {
	request.Kit, request.Impl = kit, Solutions
	programs := []Program{{Name: "solution", Request: request}}
	folder := filepath.Join(kit.Root, rightFolder, step.Folder)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		unusual := request
		if unusual.Overlay, err = overlayOf(filepath.Join(folder, e.Name()), step.Folder); err != nil {
			return nil, err
		}
		programs = append(programs, Program{Name: e.Name(), Request: unusual})
	}
	return programs, nil
}

// overlayOf reads the Go files of a folder as files that lie over those of a step.
func overlayOf(dir, folder string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	overlay := map[string][]byte{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		if overlay[path.Join(folder, e.Name())], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return overlay, nil
}
