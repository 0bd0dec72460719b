//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// run becomes the program. It returns only where that cannot be.
func run(path string, args []string, _ words) int {
	err := syscall.Exec(path, append([]string{path}, args...), os.Environ())
	fmt.Fprintf(os.Stderr, "grade: %s: %v\n", path, err)
	return exitGrader
}
