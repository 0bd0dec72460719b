package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What a rule of Landlock grants. Files can be restricted whole since version 3.
const (
	readFile = landlock.AccessFSExecute | landlock.AccessFSReadFile
	readDir  = readFile | landlock.AccessFSReadDir
	device   = landlock.AccessFSReadFile | landlock.AccessFSWriteFile | landlock.AccessFSTruncate
	writeDir = readDir | landlock.AccessFSTruncate | landlock.AccessFSRefer |
		landlock.AccessFSWriteFile | landlock.AccessFSRemoveDir | landlock.AccessFSRemoveFile |
		landlock.AccessFSMakeChar | landlock.AccessFSMakeDir | landlock.AccessFSMakeReg | landlock.AccessFSMakeSock |
		landlock.AccessFSMakeFifo | landlock.AccessFSMakeBlock | landlock.AccessFSMakeSym
)

// landlock restricts this thread, as far as this system's Landlock goes: files
// always; TCP since version 4, other devices' controls since 5, signals and
// abstract sockets since 6, UDP since 10.
//
// It is the thread alone, since the others end when the thread becomes the
// command. The library's own way, to restrict all threads, looks for them in
// /proc, where a process with its own set of processes finds the wrong ones.
func (o order) landlock() error {
	version, err := landlock.LandlockGetABIVersion()
	if err != nil {
		return fmt.Errorf("this system has no Landlock: %w", err)
	}
	if version < 3 {
		return fmt.Errorf("this system's Landlock is version %d; want 3 (Linux 6.2) or later", version)
	}
	ruleset, err := landlock.LandlockCreateRuleset(restrictions(version), 0)
	if err != nil {
		return err
	}
	defer syscall.Close(ruleset)
	for _, path := range devices {
		err = errors.Join(err, allow(ruleset, path, device, device))
	}
	for _, path := range o.readable() {
		err = errors.Join(err, allow(ruleset, path, readFile, readDir))
	}
	for _, path := range o.Write {
		err = errors.Join(err, allow(ruleset, path, readFile, writeDir))
	}
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return landlock.LandlockRestrictSelf(ruleset, 0)
}

// restrictions are what is forbidden unless a rule allows it.
func restrictions(version int) *landlock.RulesetAttr {
	attr := &landlock.RulesetAttr{HandledAccessFS: writeDir}
	for since, add := range map[int]func(){
		4:  func() { attr.HandledAccessNet |= landlock.AccessNetBindTCP | landlock.AccessNetConnectTCP },
		5:  func() { attr.HandledAccessFS |= landlock.AccessFSIoctlDev },
		6:  func() { attr.Scoped |= landlock.ScopeAbstractUnixSocket | landlock.ScopeSignal },
		9:  func() { attr.HandledAccessFS |= landlock.AccessFSResolveUnix },
		10: func() { attr.HandledAccessNet |= landlock.AccessNetBindUDP | landlock.AccessNetConnectSendUDP },
	} {
		if version >= since {
			add()
		}
	}
	return attr
}

// allow adds a rule for a file or for all below a folder. What does not exist
// is left out.
func allow(ruleset int, path string, file, dir uint64) error {
	f, err := os.OpenFile(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	access := file
	if info.IsDir() {
		access = dir
	}
	rule := &landlock.PathBeneathAttr{ParentFd: int(f.Fd()), AllowedAccess: access}
	if err := landlock.LandlockAddPathBeneathRule(ruleset, rule, 0); err != nil {
		return fmt.Errorf("%s cannot be allowed: %w", path, err)
	}
	return nil
}
