package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/class/pipe"
	"github.com/stubformer/stubformer/grader/workspace"
)

// afar is how many submissions wait in a queue at a time: enough for many
// workers, and few enough for the memory of this machine.
const afar = 256

// queued returns a grader that hands submissions to the queue, through the
// program cmd/class-worker. stop ends the program.
func (o classOptions) queued(ctx context.Context, kit *workspace.Kit, terms class.Terms) (g class.Grader, stop func() error, err error) {
	binary, err := command.BuildTool(ctx, kit, "class-worker")
	if err != nil {
		return nil, nil, err
	}
	key := o.key
	if key == "" {
		key = filepath.Join(o.out, "queue.key")
	}
	if key, err = filepath.Abs(key); err != nil {
		return nil, nil, errors.Join(err, errors.New("the key of the run has no path"))
	}
	args := []string{"submit", "--queue", o.queue, "--jobs", fmt.Sprint(o.jobs), "--key", key, "--make-key"}
	if o.creds != "" {
		args = append(args, "--creds", o.creds)
	}
	if o.regrade {
		args = append(args, "--again")
	}
	child := exec.CommandContext(ctx, binary, args...)
	child.Dir, child.Stderr = kit.Root, os.Stderr
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = 10 * time.Second
	in, err1 := child.StdinPipe()
	out, err2 := child.StdoutPipe()
	if err := errors.Join(err1, err2, child.Start()); err != nil {
		return nil, nil, err
	}
	stop = func() error {
		in.Close()
		return child.Wait()
	}
	if g, err = pipe.New(in, out, terms); err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return g, stop, nil
}
