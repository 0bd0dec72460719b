package sandbox

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

func (s span) end() int { return s.first + s.count }

// common returns what two spans share.
func (s span) common(o span) span {
	first := max(s.first, o.first)
	return span{first, min(s.end(), o.end()) - first}
}

const (
	// highest is above all numbers that are looked at.
	highest = 1<<31 - 1
	// nobody is the user of every Linux to whom nothing should belong, and may.
	nobody = 65534
	// tries is how often a number is drawn that others have.
	tries = 100
	// fewest is how many numbers there must be to draw from.
	fewest = 1000
)

// unused are numbers that no system gives to anybody: above those of people, of containers
// and of directories in a network, and below 2³¹, from where on some programs are at a loss.
func unused() span { return span{0x78000000, 1 << 26} }

// strangers returns the numbers from which users are drawn to whom nothing belongs. Where
// this process has but some of the system's, as in many containers, it is the upper half
// of those.
func strangers() (span, error) {
	users, err1 := mapped("/proc/self/uid_map")
	groups, err2 := mapped("/proc/self/gid_map")
	if err := errors.Join(err1, err2); err != nil {
		return span{}, err
	}
	return among(users, groups)
}

// among returns what strangers have of the users and groups that there are.
func among(users, groups []span) (span, error) {
	var most span
	for _, u := range users {
		for _, g := range groups {
			both := u.common(g)
			if free := both.common(unused()); free == unused() {
				return free, nil
			}
			if both.count > most.count {
				most = both
			}
		}
	}
	half := span{most.first + most.count/2, most.count - most.count/2}
	if half.count < fewest {
		return span{}, fmt.Errorf("of the numbers of users only %d can be had here", max(most.count, 0))
	}
	return half, nil
}

// mapped reads which numbers this process has, from a file of user_namespaces(7). Where
// the system has no such file, it has all.
func mapped(file string) (all []span, err error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return []span{{0, highest}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readMap(f)
}

// readMap reads lines of three numbers: the first of ours, the first of the system's that
// it stands for, and how many there are.
func readMap(r io.Reader) (all []span, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var first, outside, count uint32
		if _, err := fmt.Sscan(lines.Text(), &first, &outside, &count); err != nil {
			return nil, err
		}
		if first < highest {
			all = append(all, span{int(first), int(min(count, highest-first))})
		}
	}
	return all, lines.Err()
}

// Stranger returns a user for one command; nil where commands run as the caller.
func (b *Box) Stranger() (*Stranger, error) {
	if b == nil || !b.own.Stranger {
		return nil, nil
	}
	for range tries {
		id, err := b.strangers.draw()
		if err != nil {
			return nil, err
		}
		held, err := hold(id)
		if err == nil {
			return &Stranger{id, held}, nil
		}
		if !errors.Is(err, unix.EADDRINUSE) {
			return nil, err
		}
	}
	return nil, errors.New("every user that was drawn to run a program is taken")
}

// draw returns a number of the span that is given to nobody here.
func (s span) draw() (int, error) {
	known, err := os.ReadFile("/etc/passwd")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(s.count)))
		if err != nil {
			return 0, err
		}
		id := s.first + int(n.Int64())
		if id != nobody && !bytes.Contains(known, fmt.Appendf(nil, ":%d:", id)) {
			return id, nil
		}
	}
}

// hold keeps all other graders of this system from a user: a name in the system that one
// process can have, and that is free again when it ends, however it ends.
func hold(id int) (io.Closer, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no user can be held for a program: %w", err)
	}
	name := "stubformer-user-" + strconv.Itoa(id)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "@" + name}); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), name), nil
}
