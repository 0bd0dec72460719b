// Command grade checks a student's steps, says what is right, what is wrong
// and why, and keeps the record.
//
//	go run ./cmd/grade            the course at a glance
//	go run ./cmd/grade step01     grade a step
//	go run ./cmd/grade --help     everything else
//
// It is only the door: the programs behind it (cmd/learn grades, cmd/studio trains,
// cmd/teach is for instructors, cmd/author for those who work on the course) are compiled
// when they are first needed, and grade says so while that takes its time.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/cmd/command/launch"
)

// Exit statuses; those of the programs are their own.
const (
	exitUsage       = 2   // this is no kit, or it has no such program
	exitGrader      = 3   // a program of the kit cannot be compiled
	exitInterrupted = 130 // Ctrl-C, as shells tell it
)

func main() {
	args, say := os.Args[1:], speak(os.Args[1:], os.Getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	path, code := find(ctx, args, say)
	stop()
	if code == 0 {
		code = run(path, args, say)
	}
	os.Exit(code)
}

// find returns the program that the arguments are for, or an exit status.
func find(ctx context.Context, args []string, say words) (path string, code int) {
	here, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "grade:", err)
		return "", exitUsage
	}
	program, root := index.Program(args), rootOf(here)
	if root == "" {
		root = here // a program that lies beside this one says what is wrong
	}
	if !launch.Holds(root, program) {
		missing(here, args, say)
		return "", exitUsage
	}
	wait := newWait(os.Stderr, say, program, lesson(root, args))
	path, err = launch.Program(ctx, root, program, wait.compiled)
	wait.end()
	var failed *launch.BuildError
	switch {
	case err == nil:
		return path, 0
	case ctx.Err() != nil:
		return "", exitInterrupted
	case errors.As(err, &failed):
		fmt.Fprintf(os.Stderr, say(notBuilt)+"\n", program, failed.Output)
	default:
		fmt.Fprintln(os.Stderr, "grade:", err)
	}
	return "", exitGrader
}

// missing says why there is no program for the arguments.
func missing(here string, args []string, say words) {
	if rootOf(here) == "" {
		fmt.Fprintf(os.Stderr, say(noKit)+"\n", here)
		return
	}
	fmt.Fprintf(os.Stderr, say(notHere)+"\n", index.Name(args))
}

// rootOf is the kit that a folder lies in, "" if it lies in none.
func rootOf(dir string) string {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		first, _, _ := strings.Cut(string(text), "\n")
		if err == nil && strings.TrimSpace(first) == "module github.com/stubformer/stubformer" {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// lesson is what can be read while something is compiled: the lesson of the step that is
// named, or of the first.
func lesson(root string, args []string) string {
	lessons, _ := filepath.Glob(filepath.Join(root, "steps", "step*", "README.md")) // the pattern is well-formed
	slices.Sort(lessons)
	for _, path := range lessons {
		folder := filepath.Base(filepath.Dir(path))
		id, name, _ := strings.Cut(folder, "_")
		if slices.ContainsFunc(args, func(a string) bool { return a == folder || a == id || a == name || "step"+a == id || "step0"+a == id }) {
			return filepath.ToSlash(filepath.Join("steps", folder, "README.md"))
		}
	}
	if len(lessons) == 0 {
		return "README.md"
	}
	return filepath.ToSlash(filepath.Join("steps", filepath.Base(filepath.Dir(lessons[0])), "README.md"))
}
