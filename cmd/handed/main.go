// Command handed is learn for steps that somebody has handed in: `grade STEP --dir DIR`. It
// reads archives too, which would be much to compile for those who grade their own.
package main

import (
	"github.com/stubformer/stubformer/cmd/learn/steps"
	"github.com/stubformer/stubformer/grader/handin"
	"github.com/stubformer/stubformer/grader/workspace"
)

func main() { steps.Main(read) }

// read reads the step folders, wherever in dir they lie. One that is missing is refused,
// with what looks like it.
func read(kit *workspace.Kit, dir string) (map[string]*workspace.Folder, error) {
	folders, err := kit.Folders()
	if err != nil {
		return nil, err
	}
	content, err := handin.Reader{Folders: folders, Shown: dir}.Read(handin.Part{Path: dir})
	if err != nil {
		return nil, err
	}
	return content.Whole(folders), nil
}
