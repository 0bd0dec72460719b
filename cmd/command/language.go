package command

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// speakerKey is the key of the printer in a command's context.
type speakerKey struct{}

// Speaker returns the printer of the language that a command speaks.
func Speaker(cmd interface{ Context() context.Context }) lang.Printer {
	p, _ := cmd.Context().Value(speakerKey{}).(lang.Printer)
	return p
}

// speaking returns a context whose commands speak the language of p.
func speaking(ctx context.Context, p lang.Printer) context.Context {
	return context.WithValue(ctx, speakerKey{}, p)
}

// outKey is the key of the output in a context.
type outKey struct{}

// Out returns the standard output of a command.
func Out(cmd interface{ Context() context.Context }) io.Writer {
	if out, ok := cmd.Context().Value(outKey{}).(io.Writer); ok {
		return out
	}
	return os.Stdout
}

// writing returns a context whose commands write to out.
func writing(ctx context.Context, out io.Writer) context.Context {
	return context.WithValue(ctx, outKey{}, out)
}

// printerFor returns the printer that --lang names among the arguments, or else
// the locale. It looks before the command line is parsed, since the help and
// the errors of parsing are to be in that language too.
func printerFor(args []string, getenv func(string) string) (lang.Printer, error) {
	name := lang.Locale(getenv)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, ok := strings.CutPrefix(arg, "--lang="); ok {
			name = value
		} else if arg == "--lang" && i+1 < len(args) {
			name = args[i+1]
		}
	}
	return lang.For(name)
}

// SayError writes an error to the terminal.
func SayError(p lang.Printer, err error) {
	io.WriteString(os.Stderr, p.Fill("grade: "+p.Error(err), 0)+"\n")
}
