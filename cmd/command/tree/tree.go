// Package tree makes a program's command line of commands, whose help and errors are said in
// the reader's language.
package tree

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Main runs the command line of a program and ends it with its exit status.
func Main(root *cobra.Command) {
	command.Main(func(ctx context.Context, p lang.Printer, args []string) (called string, err error) {
		root.SilenceUsage, root.SilenceErrors = true, true
		root.CompletionOptions.HiddenDefaultCmd = true
		describe(root)
		addTree(root)
		suit(root)
		localise(root, p)
		root.SetArgs(args)
		root.SetContext(ctx)
		root.SetOut(command.Out(root))
		used, err := root.ExecuteContextC(ctx)
		if used != nil {
			called = used.CommandPath()
		}
		return called, err
	})
}

// Root holds the commands of a program under the name that all of them are called by.
func Root(commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{Use: "grade", Args: cobra.ArbitraryArgs, RunE: Subcommand}
	root.AddCommand(commands...)
	return root
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

// helpUsage describes --help of every command.
const helpUsage = "this help"

// commandNames are the names of the commands below one.
func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// Subcommand runs a command that is nothing without one of those below it.
func Subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	known := commandNames(cmd)
	return lang.DidYouMean(lang.Errorf("there is no %s %s; want one of %s", cmd.CommandPath(), args[0], strings.Join(known, ", ")), args[0], known...)
}

// suit takes out of the help of a command, and of all below it, what is about the solutions,
// where the kit holds none.
func suit(cmd *cobra.Command) {
	kit, err := workspace.Find(".")
	if err != nil || kit.WithSolutions() {
		return
	}
	visit(cmd, func(cmd *cobra.Command) {
		for _, name := range []string{"impl", "own-stack"} {
			for _, flags := range []interface{ MarkHidden(string) error }{cmd.Flags(), cmd.PersistentFlags()} {
				_ = flags.MarkHidden(name) // an error says that the command has no such flag
			}
		}
		lines := strings.Split(cmd.Example, "\n")
		cmd.Example = strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, "--impl") }), "\n")
		cmd.Hidden = cmd.Hidden || cmd.CommandPath() == "grade bench overlay"
	})
}

// describe gives the commands of grade their line in the help.
func describe(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Short == "" {
			c.Short = index.Short(c.Name())
		}
	}
}

// addTree makes the hidden command known.
func addTree(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	tree := treeOf(root)
	root.AddCommand(&cobra.Command{Use: command.TreeName, Hidden: true, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return tree.Write(cmd.OutOrStdout())
	}})
}

func treeOf(cmd *cobra.Command) command.Tree {
	t := command.Tree{Path: strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())), Short: cmd.Short, Long: cmd.Long, Foreign: cmd.DisableFlagParsing}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		t.Options = append(t.Options, command.Option{Name: f.Name, Short: f.Shorthand, Usage: f.Usage})
	})
	for _, c := range cmd.Commands() {
		t.Below = append(t.Below, treeOf(c))
	}
	return t
}
