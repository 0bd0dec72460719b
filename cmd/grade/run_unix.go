//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// run becomes the program. It returns only where that cannot be.
func run(path string, args []string, say words) int {
	err := syscall.Exec(path, append([]string{path}, args...), os.Environ())
	if errors.Is(err, fs.ErrPermission) {
		fmt.Fprintf(os.Stderr, say(notRun)+"\n", path)
		return exitGrader
	}
	fmt.Fprintf(os.Stderr, "grade: %s: %v\n", path, err)
	return exitGrader
}
