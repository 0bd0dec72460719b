package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader/host/child"
	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// goBuild runs the go command for programs and returns what it printed. Its error is
// an *exec.ExitError if the go command ran and failed.
func (k *Kit) goBuild(ctx context.Context, programs [][]*part, p place) (string, error) {
	b := programs[0][0].Build
	tags := "-tags=" + probeTag
	if b.Portable {
		tags += ",portable"
	}
	args := []string{"build", "-buildvcs=false", tags, "-ldflags=-s -w", "-overlay=" + p.overlay,
		"-o", p.outDir + string(filepath.Separator)}
	system, processor := target(b.Env)
	if system != runtime.GOOS {
		args = append(args, "-trimpath") // it leaves this machine
	}
	if b.Portable && processor != "amd64" && processor != "wasm" { // the compiler joins x*y + z elsewhere
		args = append(args, "-gcflags=all=-d=fmahash=qn")
	}
	for _, parts := range programs {
		args = append(args, "./"+path.Join("steps", cmp.Or(mainFolder(parts), path.Join("..", parts[0].Package))))
	}
	cmd, err := k.goCommand(ctx, b, p.tmp, args)
	if err != nil {
		return "", err
	}
	limits := sandbox.Policy{}
	if b.Fence != nil {
		limits = b.Fence.wrap(cmd, k, p.tmp, p.outDir)
	}
	output, err := run(cmd, b.clock(), limits)
	var stopped *stoppedError
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &stopped):
		return "", stopped.of(b.Step)
	case err != nil && lacks(output) != nil:
		return "", lacks(output)
	case b.Fence != nil && err != nil && cmd.ProcessState != nil:
		computed := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // of all that it has waited for
		if exceeded := b.Fence.exceeded(b.Step, output, computed); exceeded != nil {
			return "", exceeded
		}
	}
	return output, err
}

// goCommand returns the go command in the user's environment or, for code that
// nobody trusts, in a fixed one.
func (k *Kit) goCommand(ctx context.Context, b Build, tmp string, args []string) (*exec.Cmd, error) {
	var cmd *exec.Cmd
	if b.Fence != nil {
		cmd = b.Fence.command(ctx, k, tmp, args)
	} else {
		goCommand, err := exec.LookPath("go")
		if err != nil {
			return nil, errors.New("the go command is not on the PATH; install Go 1.26 or later from https://go.dev/dl and try again")
		}
		cmd = exec.CommandContext(ctx, goCommand, args...)
		cmd.Env = append(environment(os.Environ()), "PWD="+k.Root, "GOTMPDIR="+tmp)
	}
	cmd.Dir, cmd.Env = k.Root, append(cmd.Env, b.Env...)
	return cmd, nil
}

// run runs a command and returns the beginning of what it printed. The error is a
// *stoppedError if it has had so much time, or written more than its policy allows, and
// a *stint.StarvedError if the machine did not let it have that time.
func run(cmd *exec.Cmd, limit time.Duration, policy sandbox.Policy) (output string, err error) {
	var out bytes.Buffer
	kept := &atMost{&out, 4 << 20}
	cmd.Stdout, cmd.Stderr = kept, kept
	cmd.WaitDelay = 5 * time.Second
	end, err := child.Start(cmd)
	if err != nil {
		return "", err
	}
	defer end()
	watch, ended, stopped := stint.Start(cmd.Process.Pid), make(chan struct{}), make(chan error, 2)
	defer watch.End()
	stopWatching := policy.Watch(func() {
		stopped <- &stoppedError{disk: policy.Disk}
		child.Kill(cmd)
	})
	var clock sync.WaitGroup
	clock.Go(func() {
		select {
		case why := <-watch.Within(limit).Expired(ended):
			if why == nil {
				why = &stoppedError{limit: limit, ran: watch.Account().Ran}
			}
			stopped <- why
			child.Kill(cmd)
		case <-ended:
		}
	})
	err = cmd.Wait()
	close(ended)
	clock.Wait()
	stopWatching()
	select {
	case why := <-stopped:
		return "", why
	default:
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // what it has left behind held its output
	}
	return out.String(), err
}

// atMost keeps the first bytes that are written to it.
type atMost struct {
	*bytes.Buffer
	left int
}

func (a *atMost) Write(p []byte) (int, error) {
	keep := min(len(p), a.left)
	a.left -= keep
	a.Buffer.Write(p[:keep])
	return len(p), nil
}

// environment returns the part of the user's environment that a build needs:
// where its tools and caches are, and how to reach a module proxy. Whatever else
// could change what is built is fixed.
func environment(user []string) []string {
	var env []string
	for _, e := range user {
		name, _, _ := strings.Cut(e, "=")
		if slices.ContainsFunc(inherited(), func(s string) bool { return strings.EqualFold(s, name) }) {
			env = append(env, e)
		}
	}
	return append(env, "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0")
}

func inherited() []string {
	return []string{"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
		"GOENV", "GOROOT", "GOTOOLCHAIN", "GOCACHE", "GOPATH", "GOMODCACHE",
		"GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
		// Windows
		"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"}
}
