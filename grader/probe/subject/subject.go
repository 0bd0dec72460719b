// Package subject is the student's side of grading: it connects the names that
// the grader uses to the functions of a step, and runs them.
//
// A step's test file binds its functions once, and Test uses them twice. In an
// ordinary `go test` the step's checks run in this process, so that a debugger
// can stop inside them. Built with the tag stubformer_probe, it is the probe, which
// a program calls that may hold those of several steps: it answers the grader's
// requests on two file descriptors and holds neither checks nor expected values.
package subject

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"

	"github.com/stubformer/stubformer/grader/probe/trace"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// Function computes one wire function: named arrays in, named arrays out.
type Function func(in Args) (wire.Values, error)

// Functions are the functions of a step, by name.
type Functions map[string]Function

// Host calls functions and keeps the layers that are to be asked again; see Kept.
type Host struct {
	functions  Functions
	kept       map[int]any
	numbers    []int       // of the layers that are kept, those asked last at the end
	asked      map[int]int // how often each of them was, where that counts
	drawn      int         // how many calls have drawn numbers
	watched    []watched   // in the call that is running
	shapes     []shape     // in the call that is running
	lent       []lent      // in the call that is running
	lentRows   []lentRows
	spoilt     *wire.Message // what changed when the weights of a layer did
	unlike     []string      // outputs of the call that is running which another run of it had otherwise
	returned   map[output]watched
	inputs     map[place]input // of the layers that stay
	parameters map[string]bool // the names of arguments that are parameters
	costs      *costs          // of the call that is running, if they are measured
}

// NewHost returns a host that keeps nothing yet.
func NewHost(fns Functions) *Host {
	return &Host{functions: fns, kept: map[int]any{}, asked: map[int]int{}, returned: map[output]watched{},
		inputs: map[place]input{}, parameters: map[string]bool{}}
}

// Answer calls the named function and says how it went. What the function
// panics with becomes a status; nothing gets past it but the end of the process
// itself.
func (h *Host) Answer(name string, in wire.Values) wire.Message {
	if _, ok := h.functions[name]; !ok {
		return wire.Message{Status: wire.NotImplemented, What: name, Message: "there is no function " + name}
	}
	amid := h.amid(name, in)
	in = maps.Clone(in)
	h.refill(in)
	h.watch(in)
	m := h.run(name, in)
	if m.Status == wire.NotImplemented || m.Status == wire.BadRequest {
		return m
	}
	if changed := h.changed(Args{in, h}.layer()); changed != nil {
		return withChange(m, changed)
	}
	return amid(m)
}

// withChange is the reply to a call that changed what it must leave as it is. A call that
// was refused is to be as if it had never been, and one that crashed may have done so
// because of what it changed; what else it has to say is of no use.
func withChange(m wire.Message, changed *wire.Message) wire.Message {
	crashed := m.Status == wire.Panic && m.What == ""
	if crashed || m.Status == wire.Error || m.Status == wire.ShapeError {
		m.Also = changed
		return m
	}
	return *changed
}

// run calls the named function, in a goroutine of its own, because runtime.Goexit ends
// the one that it is called on.
func (h *Host) run(name string, in wire.Values) wire.Message {
	reply := make(chan wire.Message, 1)
	go func() {
		returned := false
		defer func() {
			if p := recover(); p != nil {
				reply <- recovered(p, string(debug.Stack()))
			} else if !returned {
				reply <- wire.Message{Status: wire.Panic, Message: "the function ended its goroutine (runtime.Goexit) and did not return"}
			}
		}()
		out, err := h.functions[name](Args{in, h})
		returned = true
		h.addCosts(out)
		for _, name := range h.unlike {
			if _, ok := out[name]; ok {
				out[wire.Second+name] = wire.Bools([]bool{true})
			}
		}
		reply <- answered(out, err)
	}()
	m := <-reply
	h.endCosts() // here, for in that goroutine it could end the measuring of the next call
	return m
}

// answered is the reply to a call that returned.
func answered(out wire.Values, err error) wire.Message {
	if err != nil {
		return failed(err)
	}
	for _, name := range out.Names() {
		if v := out[name]; v.DType == "" {
			return wire.Message{Status: wire.Panic, What: name, Message: "the call returned nil for " + name}
		}
	}
	if err := out.Check(); err != nil {
		return wire.Message{Status: wire.Panic, Message: "the result cannot be used: " + err.Error()}
	}
	return wire.Message{Status: wire.OK, Values: out}
}

// recovered is the reply to a call that panicked with p. Only the course's own
// errors turn an input down; any other panic is a crash.
func recovered(p any, stack string) wire.Message {
	if err, ok := p.(error); ok {
		m := failed(err)
		refused := m.Status == wire.ShapeError || is[tensor.IndexError](err)
		if refused { // perhaps by a function of the kit, which was called with what does not fit
			m.Detail = trace.Student(stack)
		}
		if refused || m.Status != wire.Error {
			return m
		}
	}
	return wire.Message{Status: wire.Panic, Message: short(fmt.Sprint(p)), Detail: trace.Student(stack)}
}

// failed is the reply to a call that returned an error.
func failed(err error) wire.Message {
	if b, ok := err.(broken); ok { // itself: errors.As would ask the methods of a student's error
		return b.reply()
	}
	if todo, ok := notImplemented(err); ok {
		return wire.Message{Status: wire.NotImplemented, What: todo.What, Message: todo.Error()}
	}
	if is[*tensor.ShapeError](err) || is[*tensor.IndexError](err) {
		return mistyped(err).reply()
	}
	m := wire.Message{Status: wire.Error, Message: short(fmt.Sprint(err))}
	if is[tensor.ShapeError](err) {
		m.Status = wire.ShapeError
	} else if is[badRequest](err) {
		m.Status = wire.BadRequest
	}
	return m
}

// notImplemented finds what is left to write in err's chain, or a pointer to it.
func notImplemented(err error) (todo tensor.NotImplemented, ok bool) {
	if todo, ok = errors.AsType[tensor.NotImplemented](err); ok {
		return todo, true
	}
	if pointer, ok := errors.AsType[*tensor.NotImplemented](err); ok {
		return *pointer, true
	}
	return todo, false
}

// is reports whether there is an E in err's chain.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// short cuts a message that is too long to read.
func short(message string) string {
	const longest = 2000
	if len(message) <= longest {
		return message
	}
	return strings.ToValidUTF8(message[:longest], "") + "…"
}
