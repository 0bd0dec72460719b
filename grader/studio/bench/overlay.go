package bench

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// Overlay returns a file for `go build -overlay` and `go test -overlay` which
// puts the solutions behind the import paths of the steps, in the kit at root.
func Overlay(root string) ([]byte, error) {
	solutions, err := filepath.Glob(filepath.Join(root, "solutions", "step*", "*.go"))
	if err != nil {
		return nil, err
	}
	if len(solutions) == 0 {
		return nil, fmt.Errorf("%s holds no solutions to measure", root)
	}
	replace := map[string]string{}
	stubs, err := filepath.Glob(filepath.Join(root, "steps", "step*", "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range stubs {
		replace[file] = "" // hidden, unless a solution stands in its place
	}
	for _, file := range solutions {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		folder := filepath.Base(filepath.Dir(file))
		replace[filepath.Join(root, "steps", folder, filepath.Base(file))] = file
	}
	return json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
}
