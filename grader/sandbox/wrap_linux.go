package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// stranger is the user and the group "nobody" of every Linux.
const stranger = 65534

// system are files that programs of the system may need: shared libraries and
// the loader's list of them.
var system = []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}

func open(h Helper, level Level) (*Box, error) {
	if h.path == "" {
		return nil, errors.New("this program does not know its own path")
	}
	if level == Bubblewrap {
		bwrap, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, errors.New("bwrap is not installed; it comes with the package bubblewrap")
		}
		b := &Box{level: level, helper: h, bwrap: bwrap}
		return b, b.verify()
	}
	var first error
	for _, own := range []own{{true, os.Geteuid() == 0}, {true, false}, {false, false}} {
		b := &Box{level: level, helper: h, own: own}
		err := b.verify()
		if err == nil {
			return b, nil
		}
		first = errors.Join(first, err)
	}
	return nil, first
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
	o := order{Policy: p, Landlock: b.level == Landlock, Verify: verify}
	o.Stranger = p.Stranger && b.own.Stranger
	command := append([]string{cmd.Path}, cmd.Args[1:]...)
	if b.level == Bubblewrap {
		inner := command
		if verify != "" {
			data, _ := json.Marshal(order{Policy: p, Verify: verify}) // plain data cannot fail
			inner = []string{b.helper.path, word, string(data)}
		}
		o.Verify = ""
		command = append(b.bubble(cmd.Dir, p), inner...)
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

// bubble returns the call of bwrap, up to the command.
func (b *Box) bubble(dir string, p Policy) []string {
	args := []string{b.bwrap, "--unshare-all", "--die-with-parent", "--dev", "/dev"}
	for _, path := range append(system, p.Read...) {
		args = append(args, "--ro-bind-try", path, path)
	}
	for _, path := range p.Write {
		args = append(args, "--bind-try", path, path)
	}
	args = append(args, "--remount-ro", "/") // the folders that are only on the way to the others
	if dir != "" {
		args = append(args, "--chdir", dir)
	}
	return append(args, "--")
}
