package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// Protocol is the name and version that a subject says hello with.
const Protocol = "stubformer/probe/v1"

// Status says how a call went.
type Status string

// The statuses of a reply.
const (
	OK             Status = "ok"              // the results follow
	Error          Status = "error"           // the input was turned down: bad data, an index out of range
	ShapeError     Status = "shape_error"     // the input was turned down: a wrong shape
	NotImplemented Status = "not_implemented" // the function is a stub; What names it
	Changed        Status = "changed"         // the function changed What, which it must leave as it is, at Message; Detail says what kind of thing it is
	Broken         Status = "broken"          // the function broke the rule of its contract in Detail, about its result What; Message is the error it is about
	Panic          Status = "panic"           // the function crashed; Detail is the stack
	BadRequest     Status = "bad_request"     // an argument is missing or of another type: the asker's fault
)

// Rules of a contract that results do not show: the Detail of a reply Broken.
const (
	NotNew      = "not new"      // a result that has to be new shares its memory with an earlier one
	NotDst      = "not dst"      // a result is not the destination that was given
	NotReturned = "not returned" // an error that has to be returned was a panic
)

// InPlace begins the name of a text beside a result, which names the input whose memory
// the result was written to. It is there only if the function answers otherwise with
// memory of its own.
const InPlace = "in_place_"

// Second begins the name of a mark beside a result: a new layer was asked the very same
// twice in a row, the result is its second answer, and the first was another one.
const Second = "second_"

// Cost begins the name of what calls have cost, if the argument "measured" asks for it:
// cost_multiplications, cost_allocated and cost_seconds, one for each call, and cost_kept.
const Cost = "cost_"

// What a call must leave as it is: the Detail of a reply Changed. It is empty for
// what the call was given.
const (
	OfShape   = "shape"         // the shape of What, which was given; Message says from which to which
	OfEarlier = "earlier call"  // What was returned by an earlier call of the layer
	OfAnother = "another layer" // What was returned by another layer
	OfWeights = "weights"       // What changed when the weights of its layer did
)

// Message is one frame: a hello, a request or a reply. Fields that a kind of
// message does not use are empty.
type Message struct {
	Protocol string `json:"protocol,omitempty"` // hello
	ID       int64  `json:"id,omitempty"`       // request and reply: a reply bears its request's number
	Call     string `json:"call,omitempty"`     // request: the function
	Status   Status `json:"status,omitempty"`   // reply
	Message  string `json:"message,omitempty"`  // reply: what went wrong, for people
	What     string `json:"what,omitempty"`     // reply: what is not implemented
	Detail   string `json:"detail,omitempty"`   // reply: a stack trace

	// Also is what a call that crashed, or that turned its input down, changed before:
	// What, Message and Detail of a reply Changed.
	Also *Message `json:"also,omitempty"`

	Values Values `json:"-"` // the arguments of a request, the results of a reply
}

// header is a Message as it stands on the wire: with the list of its arrays,
// whose bytes follow the header in the same order.
type header struct {
	Message
	Arrays []array `json:"arrays,omitempty"`
}

// Limits bound what Read accepts.
type Limits struct {
	Header  int64 // bytes of the JSON header
	Payload int64 // bytes of all arrays together
	Arrays  int   // how many arrays
}

// DefaultLimits are generous for the course and small for a machine.
func DefaultLimits() Limits { return Limits{Header: 1 << 20, Payload: 256 << 20, Arrays: 4096} }

// FormatError says what is wrong with a frame, or with values that were to
// become one.
type FormatError struct{ Problem string }

func (e *FormatError) Error() string { return e.Problem }

func malformed(format string, a ...any) error {
	return &FormatError{fmt.Sprintf(format, a...)}
}

// SizeError says that the arrays of a frame hold more bytes than its reader
// accepts.
type SizeError struct {
	Array Value // type and shape of the array that does not fit, without its data
	Name  string
	Limit int64 // for all arrays of the frame together
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("array %q, %v, does not fit into the limit of %d bytes a frame", e.Name, e.Array, e.Limit)
}

// Write writes one frame: the length of the header as a little-endian uint32,
// the header as JSON, and the data of the arrays in the order of their names.
// It writes nothing if the values are not consistent (see Values.Check).
func Write(w io.Writer, m Message) error {
	if err := m.Values.Check(); err != nil {
		return err
	}
	h := header{Message: m}
	names := m.Values.Names()
	for _, name := range names {
		h.Arrays = append(h.Arrays, arrayOf(name, m.Values[name]))
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	if _, err := w.Write(append(frame, text...)); err != nil {
		return err
	}
	for _, name := range names {
		if err := m.Values[name].write(w); err != nil {
			return err
		}
	}
	return nil
}

// Read reads one frame. It returns io.EOF if the wire is closed before one
// begins, and io.ErrUnexpectedEOF (wrapped) if it is cut off; a frame that is
// malformed is refused with a *FormatError, one beyond limits.Payload with a
// *SizeError. No more memory is taken than the limits allow.
func Read(r io.Reader, limits Limits) (Message, error) {
	h, err := readHeader(r, limits)
	if err != nil {
		return Message{}, err
	}
	left := limits.Payload
	values := make(Values, len(h.Arrays))
	for _, a := range h.Arrays {
		if _, twice := values[a.Name]; twice {
			return Message{}, malformed("array %q is listed twice", a.Name)
		}
		size, err := a.size(limits.Payload)
		if err != nil {
			return Message{}, err
		}
		if left -= size; left < 0 {
			return Message{}, a.tooLarge(limits.Payload)
		}
		values[a.Name] = Value{}
	}
	for _, a := range h.Arrays { // nothing is read before every array is known to be acceptable
		if values[a.Name], err = a.read(r); err != nil {
			return Message{}, err
		}
	}
	h.Values = values
	return h.Message, nil
}

func readHeader(r io.Reader, limits Limits) (header, error) {
	var h header
	var prefix [4]byte
	if _, err := io.ReadFull(r, prefix[:]); err == io.EOF {
		return h, err
	} else if err != nil {
		return h, fmt.Errorf("the length of a frame's header is cut off: %w", err)
	}
	n := int64(binary.LittleEndian.Uint32(prefix[:]))
	if n > limits.Header {
		return h, malformed("a header of %d bytes; the limit is %d", n, limits.Header)
	}
	var text bytes.Buffer // grows with what really arrives
	if _, err := io.CopyN(&text, r, n); err != nil {
		return h, fmt.Errorf("the header is cut off: %w", cutOff(err))
	}
	if !utf8.Valid(text.Bytes()) {
		return h, malformed("the header is not UTF-8")
	}
	if err := json.Unmarshal(text.Bytes(), &h); err != nil {
		return h, malformed("the header is not what it should be: %v", err)
	}
	if len(h.Arrays) > limits.Arrays {
		return h, malformed("%d arrays; the limit is %d", len(h.Arrays), limits.Arrays)
	}
	return h, nil
}

// cutOff turns the end of the input into an unexpected one: a frame has begun.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
