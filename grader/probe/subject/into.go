package subject

import (
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// broken is what a call ends with, by an error or a panic, that breaks its contract in
// a way that its results do not show.
type broken struct {
	name string // of the result
	rule string // of wire.Broken
	said string
}

// Broken returns the error of a call that broke its contract, in the words of format. For
// the asker it is no refusal of the input, but a wrong answer.
func Broken(format string, args ...any) error {
	return broken{rule: short(fmt.Sprintf(format, args...))}
}

// Error is the rule that was broken.
func (b broken) Error() string { return b.rule }

// reply tells the asker which rule was broken.
func (b broken) reply() wire.Message {
	return wire.Message{Status: wire.Broken, What: b.name, Detail: b.rule, Message: b.said}
}

// Into returns the result of a function that takes the tensor it writes to. Without
// one every call has to return a new tensor; one that is given has to be the result,
// whatever its shape and numbers were before.
func (a Args) Into(name string, call func(dst *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	y := a.New(name, func() *tensor.Tensor { return call(nil) })
	if y == nil || y.Len() == 0 {
		return y
	}
	for _, rows := range []int{3, 1} { // too many numbers; as many, in another shape
		dst := tensor.New(rows, y.Len())
		dst.Fill(float32(math.NaN()))
		z := call(dst)
		a.Dst(name, z == dst)
		if !same(y, z) {
			return z
		}
	}
	return y
}

// InPlace adds the result of a function to the others of its call. What the function
// returned without a dst, y that Into returned, and z that it returned with the memory of
// its input to write to should be the same. If y is not, it is the result; otherwise, if z
// is not, that is, and beside it stands the name of the input, under wire.InPlace.
func (a Args) InPlace(input, name string, without, y, z *tensor.Tensor, out wire.Values) wire.Values {
	out[name] = wire.Tensor(y)
	if same(without, y) && !same(y, z) {
		out[name], out[wire.InPlace+name] = wire.Tensor(z), wire.String(input)
	}
	return out
}

// Dst ends the call if its result is not the destination that it was given.
func (a Args) Dst(name string, isDst bool) {
	if !isDst {
		panic(broken{name: name, rule: wire.NotDst})
	}
}

// New returns the result of a function that returns a new tensor in every call.
func (a Args) New(name string, call func() *tensor.Tensor) *tensor.Tensor {
	y := call()
	if z := call(); y != nil && z != nil && shares(y.Data, z.Data) {
		panic(broken{name: name, rule: wire.NotNew})
	}
	return y
}

// NewBools is New for the booleans that two calls returned.
func (a Args) NewBools(name string, one, other []bool) {
	if shares(one, other) {
		panic(broken{name: name, rule: wire.NotNew})
	}
}

// shares reports whether the beginnings of two arrays are one memory.
func shares[E any](a, b []E) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// same reports whether two tensors have the same shape and, bit for bit, the same
// numbers, any NaN being the same.
func same(a, b *tensor.Tensor) bool {
	return slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(a.Data, b.Data, func(x, y float32) bool {
		return x == y || x != x && y != y
	})
}

// Typed returns the error of a call whose contract says that it returns a ShapeError or an
// IndexError. Any other breaks the contract: whoever looks for the type does not find it.
func Typed(err error) error {
	if err == nil || is[tensor.ShapeError](err) || is[tensor.IndexError](err) {
		return err
	}
	return mistyped(err)
}

// mistyped says that an error is not of the course's types.
func mistyped(err error) broken {
	return broken{rule: short(fmt.Sprintf("the error is a %T, and reads: %v; want a tensor.ShapeError or a tensor.IndexError, the value and no pointer to one, as the doc comment says", err, err))}
}

// Returned runs a call that has to return what is wrong with its data: one of the
// course's errors that it panics with instead breaks its contract.
func (a Args) Returned(call func()) {
	defer func() {
		p := recover()
		if err, ok := p.(error); ok && (is[tensor.ShapeError](err) || is[tensor.IndexError](err)) {
			panic(broken{rule: wire.NotReturned, said: short(err.Error())})
		}
		if p != nil {
			panic(p)
		}
	}()
	call()
}

// Rows returns what IDs does. An argument NAME_lengths divides the same numbers
// into rows of other lengths, which no array has.
func (a Args) Rows(name string) [][]int {
	rows, lengths := a.IDs(name), name+"_lengths"
	if !a.Has(lengths) {
		return rows
	}
	flat, ragged := slices.Concat(rows...), [][]int{}
	for _, n := range a.Ints(lengths) {
		ragged = append(ragged, flat[:n:n])
		flat = flat[n:]
	}
	return ragged
}
