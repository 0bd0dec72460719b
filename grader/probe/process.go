package probe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/stubformer/stubformer/grader/host/child"
	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/reference/wire"
)

// patience is how long the parts of a process that is ending (its exit, the
// rest of its output) may follow each other.
const patience = 10 * time.Second

// process is one run of a subject.
type process struct {
	cmd      *exec.Cmd
	limits   Limits
	boxed    bool
	cramped  bool // its folder may hold less than it needs, perhaps
	level    sandbox.Level
	dir      *scratch.Folder // its working directory is in it; nil if it is not ours to remove
	policy   sandbox.Policy
	requests *os.File // our end
	replies  *os.File // our end
	reader   *bufio.Reader
	prints   *os.File // what the program prints arrives here
	output   *capture
	full     chan struct{} // closed when its folder holds more than it may
	answered int           // calls that it has answered
	vanished bool          // it ended without an answer and without a word, as if it had been killed
	watch    *stint.Watch
	excused  time.Duration // lost to others, as the budget knows
	ended    chan struct{} // closed when the process, its group and its output have ended
	idle     chan struct{} // closed while no goroutine uses the wire
}

// start starts the command under its limits, with the two ends of the wire.
func start(c Command, limits Limits) (*process, error) {
	program, err := exec.LookPath(c.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot start the program: %w", err)
	}
	if c.Path, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	p := &process{limits: limits, boxed: c.Box != nil, level: c.Box.Level(), output: newCapture(limits.Output), full: make(chan struct{}), ended: make(chan struct{}), idle: make(chan struct{})}
	close(p.idle)
	path, args := c.Path, c.Args
	if c.Box == nil {
		path, args = limited(c, limits.Memory)
	}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir, p.cmd.Env = c.Dir, c.Env
	if c.Dir == "" {
		if p.dir, err = scratch.New(); err != nil {
			return nil, err
		}
		dir := p.dir.Path
		if limits.Disk > 0 {
			share := room.Share(dir, limits.Disk)
			p.cramped = share < min(limits.Disk, room.Ample)
			limits.Disk, p.limits.Disk = share, share
		}
		p.cmd.Dir, p.cmd.Env = dir, append(environment(dir, limits.Memory), c.Env...)
	}
	if err := p.settle(c); err != nil {
		return nil, errors.Join(err, p.clear())
	}
	if err := p.launch(c); err != nil {
		p.clean()
		return nil, fmt.Errorf("cannot start %s: %w", c.Path, err)
	}
	return p, nil
}

// settle says what the process may do, and gives it a user and a folder of its own.
func (p *process) settle(c Command) (err error) {
	p.policy = policy(c, p.cmd.Dir, p.limits)
	if p.dir == nil { // a folder of the user's own
		p.policy.Disk = 0
		return nil
	}
	if p.policy.Stranger, err = c.Box.Stranger(); err != nil {
		return err
	}
	return c.Box.Give(p.policy, p.cmd.Dir)
}

// launch makes the pipes and starts the process.
func (p *process) launch(c Command) (err error) {
	var theirs [3]*os.File // requests, replies, output
	defer func() {
		for _, f := range theirs {
			f.Close() // theirs to keep open now; Close of a nil file does nothing
		}
	}()
	if theirs[0], p.requests, err = os.Pipe(); err != nil {
		return err
	}
	if p.replies, theirs[1], err = os.Pipe(); err != nil {
		return err
	}
	if p.prints, theirs[2], err = os.Pipe(); err != nil {
		return err
	}
	p.reader = bufio.NewReader(p.replies)
	p.cmd.Stdout, p.cmd.Stderr = theirs[2], theirs[2]
	child.Isolate(p.cmd)
	shellLine(p.cmd, c)
	hand(p.cmd, theirs[0], theirs[1])
	c.Box.Wrap(p.cmd, p.policy)
	started := make(chan error)
	go p.attend(started)
	return <-started
}

// attend starts the process and waits for its end; then it ends what the
// process has left behind and takes the rest of its output. It does so on one
// thread of the system: Linux kills the process when the thread that started it
// ends (see child.Isolate).
func (p *process) attend(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	child.Gather(p.cmd)
	copied := make(chan struct{})
	go func() {
		io.Copy(p.output, p.prints)
		close(copied)
	}()
	p.watch = stint.Start(p.cmd.Process.Pid)
	defer p.watch.End()
	started <- nil
	stop := p.policy.Watch(func() { close(p.full) })
	p.cmd.Wait()
	child.Kill(p.cmd)
	stop()
	select {
	case <-copied:
	case <-time.After(patience): // a process that left the group still holds the output
	}
	p.prints.Close()
	<-copied
	close(p.ended)
}

// exchange writes a request, if there is one, and reads one frame. It comes
// back when the wire does; kill makes the wire come back.
func (p *process) exchange(request *wire.Message) (wire.Message, error) {
	if request != nil {
		if err := wire.Write(p.requests, *request); err != nil {
			return wire.Message{}, err
		}
	}
	limits := wire.DefaultLimits()
	limits.Payload = p.limits.Reply
	return wire.Read(p.reader, limits)
}

// kill ends the whole process group, waits, and removes what is left.
func (p *process) kill() error {
	if !p.isOver() { // or its number may be another's by now
		child.Kill(p.cmd)
	}
	<-p.ended
	return p.clean()
}

// isOver reports whether the process has ended.
func (p *process) isOver() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// clean closes the wire and removes the working directory.
func (p *process) clean() error {
	for _, f := range []*os.File{p.requests, p.replies, p.prints} {
		f.Close()
	}
	<-p.idle
	return p.clear()
}

// clear removes the working directory, and then its user can be another's.
func (p *process) clear() error {
	if p.dir == nil {
		return nil
	}
	defer p.policy.Stranger.Leave()
	return p.dir.Remove()
}
