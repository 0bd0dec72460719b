package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

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
	all, err := strangers()
	b.strangers = all
	var reasons error
	for _, k := range kinds(level, os.Geteuid() == 0, err == nil) {
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
func kinds(level Level, root, strangers bool) (all []own) {
	either := []bool{true, false}
	for _, filter := range either {
		for _, namespaces := range either {
			for _, stranger := range either {
				for _, rooted := range either {
					k := own{namespaces, stranger, rooted, filter}
					if k.fits(level, root, strangers) {
						all = append(all, k)
					}
				}
			}
		}
	}
	return all
}

// fits reports whether something can be tried at a level.
func (k own) fits(level Level, root, strangers bool) bool {
	switch {
	case k.Stranger && !(root && strangers):
		return false
	case k.Rooted && !k.Stranger && (root || !k.Namespaces):
		return false // who stays root could leave the folder, and a user needs a set of users to enter it
	case level == Bubblewrap:
		// A stranger has a count of processes of its own only in its own set of users.
		return k.Filter && !k.Rooted && k.Namespaces == k.Stranger
	case level == Landlock:
		return k.Filter
	}
	return !k.Namespaces && (k.Filter || k.Stranger)
}

// Give hands a path over to the user that a command with the policy runs as.
func (b *Box) Give(p Policy, path string) error {
	if p.Stranger == nil {
		return nil
	}
	return os.Chown(path, p.Stranger.id, p.Stranger.id)
}

// LetPass lets whoever a command runs as pass through a folder of the caller's, or run a
// program of theirs, and not read it: of a program that its user cannot read, the system
// shows nobody the memory.
func (b *Box) LetPass(path string) error {
	if b == nil || !b.own.Stranger {
		return nil
	}
	return os.Chmod(path, 0o711)
}

// Wrap changes a command that has not been started so that it runs in the box.
// What is in cmd.SysProcAttr is kept.
func (b *Box) Wrap(cmd *exec.Cmd, p Policy) {
	if b != nil {
		b.wrap(cmd, p, 0)
	}
}

func (b *Box) wrap(cmd *exec.Cmd, p Policy, verify int) {
	o := order{Policy: p, Level: b.level, Open: 3 + len(cmd.ExtraFiles), Verify: verify}
	if p.Stranger != nil {
		o.User = p.Stranger.id
	}
	o.Filter, o.Rooted = p.Alone && b.own.Filter, p.Alone && b.own.Rooted
	command := append([]string{cmd.Path}, cmd.Args[1:]...)
	if b.level == Bubblewrap {
		inner := command
		if verify != 0 {
			data, _ := json.Marshal(o) // plain data cannot fail
			inner = []string{p.Read[0], word, string(data)}
		}
		o.Verify = 0
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
		b.apart(cmd.SysProcAttr, o.User)
		if o.Rooted && o.User == 0 {
			cmd.SysProcAttr.AmbientCaps = append(cmd.SysProcAttr.AmbientCaps, unix.CAP_SYS_CHROOT)
		}
	}
}

// apart gives a command its own users, processes, network and messages. When
// the first process of such a set ends, the system kills all others in it, also
// those that have left the process group. What bwrap makes itself, it is left to: it looks
// for its processes in /proc, which knows them by other numbers in a set of their own.
func (b *Box) apart(attr *syscall.SysProcAttr, stranger int) {
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	if b.level != Bubblewrap {
		attr.Cloneflags |= syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	}
	uid, gid := os.Geteuid(), os.Getegid()
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	if stranger != 0 {
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
