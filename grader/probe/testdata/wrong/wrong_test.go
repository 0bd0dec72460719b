package wrong

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

func TestWrong(t *testing.T) { subject.Test(t, "wrong", functions) }

// double is what a right function returns: y = 2x.
func double(in subject.Args) (wire.Values, error) {
	y := in.Tensor("x").Clone()
	for i := range y.Data {
		y.Data[i] *= 2
	}
	return wire.Values{"y": wire.Tensor(y)}, nil
}

// after is a function that does something first and then answers rightly.
func after(do func()) subject.Function {
	return func(in subject.Args) (wire.Values, error) {
		do()
		return double(in)
	}
}

func panicking(value any) subject.Function { return after(func() { panic(value) }) }

func failing(err error) subject.Function {
	return func(subject.Args) (wire.Values, error) { return nil, err }
}

func returning(y *tensor.Tensor) subject.Function {
	return func(subject.Args) (wire.Values, error) { return wire.Values{"y": wire.Tensor(y)}, nil }
}

var shape = tensor.ShapeError{Op: "f: x", Got: []int{2}, Want: []int{3}}
var index = tensor.IndexError{Op: "f: ids[0]", Got: 9, Limit: 3}
var todo = tensor.TODO("step99: F")

var functions = subject.Functions{
	"right":               double,
	"loop":                after(forEver),
	"allocate":            after(allocate),
	"allocate.once":       after(allocateOnce),
	"child.exit":          after(func() { fmt.Println("child", child(false)); os.Exit(0) }),
	"child.detached":      after(func() { fmt.Println("child", child(true)); os.Exit(0) }),
	"exit":                after(func() { os.Exit(0) }),
	"vanish":              after(vanish),
	"exit.words":          after(func() { fmt.Println("last words\x1b[2J"); os.Exit(3) }),
	"exit.later":          after(func() { time.AfterFunc(50*time.Millisecond, func() { os.Exit(5) }) }),
	"count":               after(count),
	"print":               after(printMuch),
	"fill":                after(fillDisk),
	"print.endless":       after(printForEver),
	"close":               after(closeEverything),
	"stdout":              after(func() { write(1, frame(`{"id":1,"status":"panic"}`)) }),
	"garbage":             after(func() { write(4, "garbage") }),
	"garbage.later":       after(func() { time.AfterFunc(50*time.Millisecond, func() { write(4, "garbage") }) }),
	"forged":              after(func() { write(4, frame(`{"id":4711,"status":"ok"}`)) }),
	"forged.negative":     after(func() { write(4, frame(`{"id":1,"arrays":[{"name":"y","dtype":"f32","shape":[-1]}]}`)) }),
	"forged.first":        after(func() { write(4, frame(`{"id":1,"status":"ok"}`)) }),
	"recursion":           after(func() { recurse(0) }),
	"deadlock":            after(deadlock),
	"deadlock.background": after(deadlockInBackground),
	"map":                 after(writeMap),
	"unlock":              after(unlock),
	"panic":               panicking(&weird{3}),
	"panic.text":          panicking("plain text"),
	"panic.long":          panicking(strings.Repeat("long ", 1<<20)),
	"panic.unprintable":   panicking(unprintable{}),
	"panic.background":    after(func() { go func() { panic("behind your back") }(); time.Sleep(time.Hour) }),
	"panic.index":         after(func() { outOfRange(make([]float32, 3)) }),
	"goexit":              after(goexit),
	"todo":                panicking(todo),
	"todo.pointer":        panicking(&todo),
	"todo.wrapped":        panicking(fmt.Errorf("wrapped: %w", todo)),
	"todo.returned":       failing(todo),
	"shape":               panicking(shape),
	"shape.pointer":       panicking(&shape),
	"shape.returned":      failing(fmt.Errorf("wrapped: %w", shape)),
	"index":               panicking(index),
	"error":               failing(errors.New("no such data")),
	"nil":                 returning(nil),
	"negative":            returning(&tensor.Tensor{Shape: []int{-1}}),
	"mismatch":            returning(&tensor.Tensor{Shape: []int{2, 3}, Data: make([]float32, 5)}),
	"large":               returning(tensor.New(1024, 1024)),
	"nan": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"y": wire.Tensor(notANumber(in.Tensor("x")))}, nil
	},
	"missing":  func(in subject.Args) (wire.Values, error) { in.Tensor("z"); return nil, nil },
	"mistyped": func(in subject.Args) (wire.Values, error) { in.Int("x"); return nil, nil },
	"locked":   func(in subject.Args) (wire.Values, error) { return nil, locked() },
	"child": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"pid": wire.Int(child(false))}, nil
	},
	"pid": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"pid": wire.Int(os.Getpid())}, nil
	},
	"surroundings": func(in subject.Args) (wire.Values, error) {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		entries, err := os.ReadDir(".")
		if err != nil {
			return nil, err
		}
		return wire.Values{
			"env": wire.String(strings.Join(os.Environ(), "\n")), "dir": wire.String(dir), "files": wire.Int(len(entries)),
		}, nil
	},
	"inherited": func(in subject.Args) (wire.Values, error) { // can a child write to the wire?
		err := exec.Command("sh", "-c", "echo forged >&4").Run()
		return wire.Values{"inherited": wire.Bools([]bool{err == nil})}, nil
	},
}
