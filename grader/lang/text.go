package lang

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Sayer is something that can be said in several languages: a Text, an error of
// Errorf, an error that composes its own sentence.
type Sayer interface {
	In(p Printer) string
}

// Text is something to be said later, in a language not known yet. The zero
// Text says nothing.
type Text struct {
	format string // the key
	args   []any  // nil: format is said as it stands
}

// T returns the text of a format and its arguments, of which those that are
// Sayers are said in the same language. Without arguments the format is no
// format but the text itself.
func T(format string, args ...any) Text {
	if false {
		_ = fmt.Sprintf(format, args...) // lets go vet check the arguments of T
	}
	return Text{format, args}
}

// Of returns the text whose English is data of the course: a title, a hint.
func Of(english string) Text { return Text{format: english} }

// Raw returns a text that is the same in every language, such as what a
// student's program said.
func Raw(text string) Text {
	if text == "" {
		return Text{}
	}
	return Text{"%s", []any{text}}
}

// Lines returns the texts below one another.
func Lines(texts ...Text) Text {
	args := make([]any, len(texts))
	for i, t := range texts {
		args[i] = t
	}
	return Text{strings.TrimSuffix(strings.Repeat("%s\n", len(texts)), "\n"), args}
}

// With returns the text with its arguments, and those of the Texts among them,
// put through change.
func (t Text) With(change func(arg any) any) Text {
	if t.args == nil {
		return t
	}
	args := make([]any, len(t.args))
	for i, arg := range t.args {
		if text, ok := arg.(Text); ok {
			args[i] = text.With(change)
		} else {
			args[i] = change(arg)
		}
	}
	return Text{t.format, args}
}

// Empty reports whether there is nothing to say.
func (t Text) Empty() bool { return t.format == "" }

// In says the text in the language of p.
func (t Text) In(p Printer) string { return p.say(t.format, t.args) }

// String says the text in English.
func (t Text) String() string { return t.In(Printer{}) }

// MarshalJSON writes the text in English, or as it stands if it is Raw.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// UnmarshalJSON reads a text that can then be said in one language only.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*t = Raw(s)
	return nil
}

// Errorf is fmt.Errorf for an error that can be said in every language.
func Errorf(format string, args ...any) error {
	return &failure{fmt.Errorf(format, args...), Text{format, args}}
}

// failure is an error of Errorf.
type failure struct {
	error // in English, wrapping what was given with %w
	text  Text
}

func (f *failure) In(p Printer) string { return f.text.In(p) }
func (f *failure) Unwrap() error       { return errors.Unwrap(f.error) }
