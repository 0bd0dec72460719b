package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
)

// stranger is the user and the group "nobody" of every Linux.
const stranger = 65534

// system are files that programs of the system may need: shared libraries and
// the loader's list of them.
var system = []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}

// devices are those that every program may use. /dev/zero is not among them: to
// map it is to have memory beyond the limit.
var devices = []string{"/dev/null", "/dev/full", "/dev/random", "/dev/urandom"}

// readable lists what may be read: a static program needs nothing of the
// system's.
func (p Policy) readable() []string {
	if p.Alone {
		return p.Read
	}
	return slices.Concat(system, p.Read)
}

func open(h Helper, level Level) (*Box, error) {
	if h.path == "" {
		return nil, errors.New("this program does not know its own path")
	}
	if !seccomp.Supported() && level != Limits {
		return nil, errNoFilter
	}
	b := &Box{level: level, helper: h}
	if level == Bubblewrap {
		bwrap, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, errors.New("bwrap is not installed; it comes with the package bubblewrap")
		}
		b.bwrap = bwrap
	}
	var reasons error
	for _, k := range kinds(level, os.Geteuid() == 0) {
		b.own = k
		err := b.verify()
		if err == nil {
			return b, nil
		}
		reasons = errors.Join(reasons, err)
	}
	if level == Limits {
		b.own = own{}
		return b, nil
	}
	return nil, reasons
}

// kinds lists what to try for a level, the best first.
func kinds(level Level, root bool) []own {
	var all []own
	for _, namespaces := range []bool{true, false} {
		for _, stranger := range []bool{true, false} {
			switch {
			case stranger && !root, namespaces && level == Limits:
				continue
			case level == Bubblewrap && namespaces != stranger:
				continue // a stranger has a count of processes of its own only in its own set of users
			}
			all = append(all, own{Namespaces: namespaces, Stranger: stranger, Filter: true})
		}
	}
	if level == Limits && root {
		all = append(all, own{Stranger: true})
	}
	return all
}

// prepareTrial makes the folder, and this program, fit for a trial.
func (b *Box) prepareTrial(p *Policy, dir string) error {
	if b.level == Bubblewrap && b.own.Stranger { // who may not be able to reach this program where it lies
		program := filepath.Join(dir, "program")
		data, err := os.ReadFile(b.helper.path)
		if err := errors.Join(err, os.WriteFile(program, data, 0o755)); err != nil {
			return err
		}
		p.Read = []string{program}
	}
	return b.Give(*p, dir)
}

// Give hands a path over to the user that a command with the policy runs as.
func (b *Box) Give(p Policy, path string) error {
	if !p.Stranger || b == nil || !b.own.Stranger {
		return nil
	}
	return os.Chown(path, stranger, stranger)
}

// LetPass lets that user pass through a folder of the caller's.
func (b *Box) LetPass(p Policy, dir string) error {
	if !p.Stranger || b == nil || !b.own.Stranger {
		return nil
	}
	return os.Chmod(dir, 0o711)
}

// Wrap changes a command that has not been started so that it runs in the box.
// What is in cmd.SysProcAttr is kept.
func (b *Box) Wrap(cmd *exec.Cmd, p Policy) {
	if b != nil {
		b.wrap(cmd, p, "")
	}
}

func (b *Box) wrap(cmd *exec.Cmd, p Policy, verify string) {
	o := order{Policy: p, Level: b.level, Open: 3 + len(cmd.ExtraFiles), Verify: verify}
	o.Stranger = p.Stranger && b.own.Stranger
	o.Filter = p.Alone && b.own.Filter
	command := append([]string{cmd.Path}, cmd.Args[1:]...)
	if b.level == Bubblewrap {
		inner := command
		if verify != "" {
			data, _ := json.Marshal(o) // plain data cannot fail
			inner = []string{p.Read[0], word, string(data)}
		}
		o.Verify = ""
		options := b.bubble(cmd.Dir, p)
		o.Bubblewrap = len(options)
		command = slices.Concat(options, []string{"--"}, inner)
	}
	data, _ := json.Marshal(o)
	cmd.Path, cmd.Args = b.helper.path, append([]string{b.helper.name, word, string(data)}, command...)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if b.own.Namespaces {
		apart(cmd.SysProcAttr, o.Stranger)
	}
}

// apart gives a command its own users, processes, network and messages. When
// the first process of such a set ends, the system kills all others in it, also
// those that have left the process group.
func apart(attr *syscall.SysProcAttr, withStranger bool) {
	attr.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	uid, gid := os.Geteuid(), os.Getegid()
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	if withStranger {
		attr.UidMappings = append(attr.UidMappings, syscall.SysProcIDMap{ContainerID: stranger, HostID: stranger, Size: 1})
		attr.GidMappings = append(attr.GidMappings, syscall.SysProcIDMap{ContainerID: stranger, HostID: stranger, Size: 1})
		attr.GidMappingsEnableSetgroups = true
	}
}

// bubble returns the call of bwrap, up to the end of its options. Of devices
// there are those that hold nothing: no terminal, no shared memory.
func (b *Box) bubble(dir string, p Policy) []string {
	args := []string{b.bwrap, "--unshare-all", "--die-with-parent"}
	for _, path := range devices {
		args = append(args, "--dev-bind-try", path, path)
	}
	for _, path := range p.readable() {
		args = append(args, "--ro-bind-try", path, path)
	}
	for _, path := range p.Write {
		args = append(args, "--bind-try", path, path)
	}
	args = append(args, "--remount-ro", "/") // the folders that are only on the way to the others
	if dir != "" {
		args = append(args, "--chdir", dir)
	}
	return args
}
