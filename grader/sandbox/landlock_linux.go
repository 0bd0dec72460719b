package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a rule of Landlock grants. Files can be restricted whole since version 3.
const (
	readFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	readDir  = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	device   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	writeDir = readDir | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// landlock restricts this thread, as far as this system's Landlock goes: files
// always; TCP since version 4, other devices' controls since 5, signals and
// abstract sockets since 6, UDP since 10. It is the thread alone, since the others
// end when the thread becomes the command.
func (o order) landlock() error {
	version, err := createRuleset(nil, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != nil {
		return fmt.Errorf("this system has no Landlock: %w", err)
	}
	if version < 3 {
		return fmt.Errorf("this system's Landlock is version %d; want 3 (Linux 6.2) or later", version)
	}
	ruleset, err := createRuleset(restrictions(version), 0)
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
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
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("its rules cannot be set: %w", errno)
	}
	return nil
}

// createRuleset is landlock_create_ruleset(2), which returns a descriptor, or the version of
// this system's Landlock if it is asked for that.
func createRuleset(attr *unix.LandlockRulesetAttr, flags uintptr) (int, error) {
	var size uintptr
	if attr != nil {
		size = unsafe.Sizeof(*attr)
	}
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(attr)), size, flags)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// restrictions are what is forbidden unless a rule allows it.
func restrictions(version int) *unix.LandlockRulesetAttr {
	attr := &unix.LandlockRulesetAttr{Handled_access_fs: writeDir}
	if version >= 4 {
		attr.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if version >= 9 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	if version >= 10 {
		attr.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
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
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(f.Fd())}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("%s cannot be allowed: %w", path, errno)
	}
	return nil
}
