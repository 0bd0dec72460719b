// Package doctor examines the machine: can it build, run and limit a student's
// code, and what can it not do?
package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/kernel"
)

// State is how one examination went.
type State string

// The states. Missing means that grading does not work; Limited that it works
// without something.
const (
	OK      State = "ok"
	Limited State = "limited"
	Missing State = "missing"
)

// Word returns the state as a person reads it.
func (s State) Word() lang.Text {
	switch s {
	case OK:
		return lang.T("ok")
	case Limited:
		return lang.T("limited")
	}
	return lang.T("missing")
}

// Finding is the result of one examination.
type Finding struct {
	Subject lang.Text // "Go", "memory limit", …
	State   State
	Text    lang.Text // what was found and, if something is wrong, what to do
}

// Examine examines the machine for the given kit.
func Examine(ctx context.Context, kit *workspace.Kit) []Finding {
	findings := []Finding{goCommand(ctx)}
	if findings[0].State == OK {
		findings = append(findings, modules(ctx, kit), buildCache(ctx, kit))
	}
	findings = append(findings, temporary(), shell(), writable(kit), cpu(), simd())
	for _, c := range probe.Capabilities() {
		f := Finding{Subject: c.Name, State: OK, Text: c.Text}
		if !c.Available {
			f.State = Limited
		}
		findings = append(findings, f)
	}
	return findings
}

func goCommand(ctx context.Context) Finding {
	subject := lang.Raw("Go")
	version, err := goOutput(ctx, "", nil, "env", "GOVERSION")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Finding{subject, Missing, lang.T("the go command is not on the PATH; install Go 1.26 or later")}
	case err != nil:
		return Finding{subject, Missing, lang.T("the go command does not run: %v", err)}
	}
	return Finding{subject, OK, lang.T("%s, %s/%s, %d processors", version, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())}
}

// modules finds out whether the probe's dependencies are there without network.
func modules(ctx context.Context, kit *workspace.Kit) Finding {
	subject := lang.T("module cache")
	if _, err := kit.Caches(ctx); err != nil {
		return Finding{subject, Missing, lang.T("grading does not work: %v", err)}
	}
	if _, err := goOutput(ctx, kit.Root, []string{"GOPROXY=off", "GOFLAGS=-mod=readonly"}, "list", "-deps", "./..."); err != nil {
		return Finding{subject, Limited, lang.T("some modules are not downloaded yet; run `go mod download` once while you are online")}
	}
	return Finding{subject, OK, lang.T("complete: nothing more needs the network")}
}

func buildCache(ctx context.Context, kit *workspace.Kit) Finding {
	subject := lang.T("build cache")
	caches, err := kit.Caches(ctx)
	if err != nil {
		return Finding{subject, Missing, lang.T("grading does not work: %v", err)}
	}
	if err := tryWrite(caches.GOCACHE); err != nil {
		return Finding{subject, Missing, lang.T("%v; set GOCACHE to a folder that you may write", err)}
	}
	return Finding{subject, OK, lang.T("writable")}
}

// temporary finds out whether programs can be made and run where grading does that.
func temporary() Finding {
	subject := lang.T("temporary folder")
	dir, err := scratch.New()
	if err == nil {
		err = dir.Remove()
	}
	if err != nil {
		return Finding{subject, Missing, lang.T("grading does not work: %v", err)}
	}
	return Finding{subject, OK, lang.T("programs can be built and run below %s", os.TempDir())}
}

// shell finds out whether the shell's own limits leave programs enough.
func shell() Finding {
	subject := lang.T("limits of the shell")
	if err := probe.Cramped(); err != nil {
		return Finding{subject, Missing, lang.T("grading does not work: %v", err)}
	}
	return Finding{subject, OK, lang.T("a program may take what right answers need")}
}

// Writable returns why no attempts can be recorded in a kit, or nil.
func Writable(kit *workspace.Kit) error { return tryWrite(filepath.Join(kit.Root, ".stubformer")) }

func writable(kit *workspace.Kit) Finding {
	subject := lang.T("history")
	if err := Writable(kit); err != nil {
		return Finding{subject, Limited, lang.T("%v; grading works, but attempts are not recorded", err)}
	}
	return Finding{subject, OK, lang.T("attempts are recorded in .stubformer/history.jsonl")}
}

// tryWrite makes the folder if it is missing, and makes and removes a file in it.
func tryWrite(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return plain(err)
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return plain(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func plain(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return lang.Errorf("no write access")
	}
	return err
}

func cpu() Finding {
	var names []string
	for _, m := range kernel.Micros() {
		names = append(names, m.Name)
	}
	return Finding{lang.T("vector unit"), OK, lang.T("micro-kernels: %s", strings.Join(names, ", "))}
}

// simd reports whether step 11's own micro-kernel can be written on this machine.
func simd() Finding {
	subject := lang.Raw("simd/archsimd")
	if runtime.GOARCH != "amd64" {
		return Finding{subject, Limited, lang.T("Go 1.26 has archsimd on amd64 only; the part of step 11 that needs it is not scored here")}
	}
	return Finding{subject, OK, lang.T("available with GOEXPERIMENT=simd; grade sets it where step 11 needs it")}
}

// goOutput runs the go command and returns the first line that it prints.
func goOutput(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), err
}
