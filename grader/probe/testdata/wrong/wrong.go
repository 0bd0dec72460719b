// Package wrong is a step whose functions do everything that a student's code
// should not. The tests of the probe build it and call it.
package wrong

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stubformer/stubformer/reference/tensor"
)

// started is what the program does before anything else; WRONG_START says what.
var started = start(os.Getenv("WRONG_START"))

func start(how string) bool {
	switch how {
	case "exit":
		os.Exit(0)
	case "panic":
		panic("before the first call")
	case "loop":
		forEver()
	case "allocate":
		allocate()
	case "vanish":
		vanish()
	case "stranger":
		write(4, frame(`{"protocol":"somebody/else/entirely"}`))
		time.Sleep(time.Hour)
	}
	return true
}

var (
	memory [][]byte
	mutex  sync.Mutex
	again  int
)

// vanish ends the program as a system does that says nothing: once, if WRONG_MARK names a
// file that is to say so.
func vanish() {
	mark := os.Getenv("WRONG_MARK")
	if f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o644); err == nil || mark == "" {
		f.Close()
		os.Exit(1)
	}
}

func forEver() {
	for {
	}
}

func allocate() {
	for {
		b := make([]byte, 1<<20)
		for i := range b {
			b[i] = 1
		}
		memory = append(memory, b)
	}
}

func allocateOnce() { memory = append(memory, make([]byte, 1<<40)) }

// child starts a process that outlives this one and holds the standard output.
// A detached one leaves the process group as well.
func child(detached bool) int {
	c := exec.Command("sleep", "1000")
	c.Stdout = os.Stdout
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: detached}
	if err := c.Start(); err != nil {
		panic(err)
	}
	return c.Process.Pid
}

func printMuch() {
	line := strings.Repeat("much too much ", 100) + "\n"
	for range 1 << 30 / len(line) {
		fmt.Print(line)
	}
}

func printForEver() {
	for {
		fmt.Println("and on and on")
	}
}

func fillDisk() {
	for i := range 1 << 20 {
		if err := os.WriteFile(fmt.Sprint("part", i%64), make([]byte, 1<<20), 0o644); err != nil {
			panic(err)
		}
	}
}

func closeEverything() {
	for fd := range 100 {
		syscall.Close(fd)
	}
	time.Sleep(time.Hour)
}

// write writes to a descriptor: 1 is the standard output, 4 the wire.
func write(fd int, text string) {
	if _, err := syscall.Write(fd, []byte(text)); err != nil {
		panic(err)
	}
}

// frame is a frame without payload.
func frame(header string) string {
	return string([]byte{byte(len(header)), 0, 0, 0}) + header
}

func recurse(n int) int { return recurse(n+1) + 1 }

func deadlock() { <-make(chan int) }

func deadlockInBackground() {
	var all sync.WaitGroup
	work := make(chan int)
	for range 5000 {
		all.Go(func() { work <- 1 })
	}
	all.Wait()
}

func writeMap() {
	m := map[int]int{}
	for range 4 {
		go func() {
			for i := 0; ; i++ {
				m[i%7]++
			}
		}()
	}
	time.Sleep(time.Hour)
}

func unlock() { mutex.Unlock() }

type weird struct{ code int }

func (w *weird) Error() string { return fmt.Sprintf("weird error %d", w.code) }

type unprintable struct{}

func (unprintable) Error() string { panic("no words") }

// count counts its calls and kills the process in every second one.
func count() {
	if again++; again%2 == 0 {
		os.Exit(7)
	}
}

func locked() error {
	if err := os.MkdirAll("a/b", 0o755); err != nil {
		return err
	}
	if err := os.WriteFile("a/b/file", []byte("x"), 0o400); err != nil {
		return err
	}
	return errors.Join(os.Chmod("a/b", 0), os.Chmod("a", 0o500))
}

func notANumber(x *tensor.Tensor) *tensor.Tensor {
	y := x.Clone()
	y.Data[0], y.Data[1] = float32(math.NaN()), float32(math.Inf(-1))
	return y
}

func outOfRange(x []float32) float32 { return x[len(x)+5] }

func goexit() { runtime.Goexit() }
