package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

// run runs the program and returns its exit status. Ctrl-C reaches the program too, which
// ends in order; this one waits for it.
func run(path string, args []string, _ words) int {
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintf(os.Stderr, "grade: %s: %v\n", path, err)
	return exitGrader
}
