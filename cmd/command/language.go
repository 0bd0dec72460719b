package command

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stubformer/stubformer/grader/lang"
)

// speakerKey is the key of the printer in a command's context.
type speakerKey struct{}

// Speaker returns the printer of the language that a command speaks.
func Speaker(cmd *cobra.Command) lang.Printer {
	p, _ := cmd.Context().Value(speakerKey{}).(lang.Printer)
	return p
}

// speaking returns a context whose commands speak the language of p.
func speaking(ctx context.Context, p lang.Printer) context.Context {
	return context.WithValue(ctx, speakerKey{}, p)
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

// languageFlag makes --lang known to the command line; printerFor has read it.
func languageFlag() *pflag.Flag {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.String("lang", "", "the language, en or zh (default: the locale's)")
	return flags.Lookup("lang")
}

// localise puts the help of a command and of all below it into the language of
// p, and the errors of their command lines.
func localise(root *cobra.Command, p lang.Printer) {
	root.PersistentFlags().AddFlag(languageFlag())
	for _, g := range root.Groups() {
		g.Title = lang.Of(g.Title).In(p)
	}
	root.SetFlagErrorFunc(flagError)
	localiseTemplate(root, p)
	visit(root, func(cmd *cobra.Command) {
		cmd.Short, cmd.Long = lang.Of(cmd.Short).In(p), lang.Join(lang.Of(cmd.Long).In(p))
		checkArgs(cmd)
		cmd.InitDefaultHelpFlag()
		if h := cmd.Flags().Lookup("help"); h != nil {
			h.Usage = helpUsage
		}
		translate := func(f *pflag.Flag) { f.Usage = lang.Of(f.Usage).In(p) }
		cmd.LocalNonPersistentFlags().VisitAll(translate)
		cmd.PersistentFlags().VisitAll(translate)
	})
}

// helpUsage describes --help of every command.
const helpUsage = "this help"

// localiseTemplate translates what stands between the commands' own texts in a
// help: headings, and what the libraries add to a line.
func localiseTemplate(root *cobra.Command, p lang.Printer) {
	headings := strings.NewReplacer(
		"Usage:", p.Say("Usage:"),
		"Examples:", p.Say("Examples:"),
		"Available Commands:", p.Say("Available Commands:"),
		"Global Flags:", p.Say("Global Flags:"),
		"Flags:", p.Say("Flags:"),
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
		p.Say(`Use "%s [command] --help" for more information about a command.`, "{{.CommandPath}}"),
	)
	root.SetUsageTemplate(headings.Replace(root.UsageTemplate()))
	details := strings.NewReplacer("(default ", p.Say("(default "), "[flags]", p.Say("[flags]"), "[command]", p.Say("[command]"))
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var b strings.Builder
		out := cmd.OutOrStdout()
		cmd.SetOut(&b)
		help(cmd, args)
		cmd.SetOut(out)
		io.WriteString(out, lang.Fill(details.Replace(b.String()), p.Measure()))
	})
}

// visit calls f for a command and all below it.
func visit(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		visit(c, f)
	}
}

// checkArgs says how a command is called where it is called with a wrong number
// of arguments.
func checkArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		return lang.Errorf("%s takes other arguments than the %d given; it is called as: %s",
			cmd.CommandPath(), len(args), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	}
}

// flagError puts what is wrong with an option of a command into words that have a
// translation.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if len(name) == 1 {
			return lang.Errorf("unknown flag: -%s", name)
		}
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return lang.DidYouMean(lang.Errorf("unknown flag: --%s", name), "--"+name, known...)
	case errors.As(err, &missing):
		return lang.Errorf("--%s needs a value", missing.GetSpecifiedName())
	case errors.As(err, &invalid):
		return lang.Errorf("--%s is %q, which it cannot be: %w", invalid.GetFlag().Name, invalid.GetValue(), errors.Unwrap(err))
	}
	return err
}

// SayError writes an error to the terminal.
func SayError(p lang.Printer, err error) {
	io.WriteString(os.Stderr, p.Fill("grade: "+p.Error(err), 0)+"\n")
}
