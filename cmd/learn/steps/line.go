package steps

import (
	"context"
	"errors"
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/grader/lang"
)

// verb is a command of this program. Its options are the standard library's: what reads the
// other programs' command lines would be a tenth of all that a newcomer waits for.
type verb struct {
	short   string // what it does; index says it of all but the first
	use     string // "hint STEP [N]"
	long    string
	example string
	most    int // arguments; -1: any number
	least   int
	options *flag.FlagSet
	letters map[string]string // "v": "verbose"
	run     func(c *call, args []string) error
}

// flags returns a set of options, which every verb begins with.
func flags() *flag.FlagSet {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.String("lang", "", "the language, en or zh (default: the locale's)") // command.Main has read it
	return set
}

func (v *verb) name() string { name, _, _ := strings.Cut(v.use, " "); return name }

// usage is how a verb is called.
func (v *verb) usage() string {
	if v.name() == "grade" {
		return v.use
	}
	return "grade " + v.use
}

// call is one call of a verb.
type call struct {
	ctx   context.Context
	given map[string]bool // options
}

// Context returns the context of the call.
func (c *call) Context() context.Context { return c.ctx }

// parse reads options from among the arguments, wherever they stand, and returns the others.
func (v *verb) parse(args []string) (rest []string, given map[string]bool, err error) {
	given = map[string]bool{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, whole := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case arg == "--":
			return append(rest, args...), given, nil
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
			continue
		case arg == "-h" || arg == "--help":
			return nil, nil, flag.ErrHelp
		}
		if !strings.HasPrefix(arg, "--") {
			long, known := v.letters[name]
			if !known {
				return nil, nil, lang.Errorf("unknown flag: -%s", name)
			}
			name = long
		}
		f := v.options.Lookup(name)
		if f == nil {
			return nil, nil, lang.DidYouMean(lang.Errorf("unknown flag: --%s", name), "--"+name, v.known()...)
		}
		if !whole {
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
				value = "true"
			} else if len(args) == 0 {
				return nil, nil, lang.Errorf("--%s needs a value", name)
			} else {
				value, args = args[0], args[1:]
			}
		}
		if err := f.Value.Set(value); err != nil {
			return nil, nil, lang.Errorf("--%s is %q, which it cannot be: %w", name, value, err)
		}
		given[name] = true
	}
	return rest, given, nil
}

// known are the options as they are written.
func (v *verb) known() (names []string) {
	v.options.VisitAll(func(f *flag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

// execute runs the verb of a command line: the one that its first word names, or else the
// first of all.
func execute(ctx context.Context, verbs []*verb, args []string) (called string, err error) {
	v, rest, called := verbs[0], args, "grade"
	at := index.At(args)
	for _, other := range verbs[1:] {
		if at < len(args) && args[at] == other.name() {
			v, rest, called = other, slices.Delete(slices.Clone(args), at, at+1), "grade "+other.name()
		}
	}
	c := &call{ctx: ctx}
	words, given, err := v.parse(rest)
	switch {
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(command.Out(c), help(command.Speaker(c), v, verbs))
		return called, nil
	case err != nil:
		return called, err
	case len(words) < v.least || v.most >= 0 && len(words) > v.most:
		return called, lang.Errorf("%s takes other arguments than the %d given; it is called as: %s", called, len(words), v.usage())
	}
	c.given = given
	return called, v.run(c, words)
}
