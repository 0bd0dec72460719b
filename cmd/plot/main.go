// Command plot makes the pictures of the course: of your own code, of a
// training run, of measurements.
//
//	go run ./cmd/plot                                    the figures
//	go run ./cmd/plot rope --out rope.png                of your step 06
//	go run ./cmd/plot loss --run runs/tiny-village       of a training run
//
// `go run ./cmd/grade plot` is the same. It is a program of its own so that
// grade need not carry the drawing library.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/figure/draw"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Exit statuses.
const (
	exitFailed      = 1   // the figure could not be made
	exitUsage       = 2   // the command was called the wrong way
	exitInterrupted = 130 // Ctrl-C, as shells tell it
)

func main() {
	box := sandbox.Main().Limits()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, box, os.Args[1:]))
}

// named returns arguments that begin with the name of a command: grade hands over the
// whole command line, as in `grade plot rope`, and who calls this program itself leaves
// plot out.
func named(root *cobra.Command, args []string) []string {
	if found, _, _ := root.Find(args); found == root {
		return append([]string{"plot"}, args...)
	}
	return args
}

// execute runs the command line, and the student's code in the box, and returns
// the exit status.
func execute(ctx context.Context, box *sandbox.Box, args []string) int {
	p, err := speaker(args, os.Getenv)
	p = p.Within(terminal.Columns(os.Stdout))
	out := terminal.NewOutput(os.Stdout)
	if err == nil {
		cmd := newRoot(p, box)
		cmd.SetOut(out)
		cmd.SetArgs(named(cmd, args))
		err = cmd.ExecuteContext(ctx)
	}
	if err == nil && out.Err() != nil {
		err = failedError{out.Err()}
	}
	var failed failedError
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "plot:", p.Say("interrupted; nothing was written"))
		return exitInterrupted
	case errors.As(err, &failed):
		fmt.Fprintln(os.Stderr, p.Fill("plot: "+p.Error(failed.error), 0))
		return exitFailed
	}
	fmt.Fprintln(os.Stderr, p.Fill("plot: "+p.Error(err), 0))
	p.Tell(os.Stderr, "Run `go run ./cmd/grade plot` for the figures, and with --help for the options.\n")
	return exitUsage
}

// speaker returns the printer of the language that --lang names, or else the
// locale. It looks before the command line is parsed, since the help is to be
// in that language too.
func speaker(args []string, getenv func(string) string) (lang.Printer, error) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.SetOutput(io.Discard)
	flags.BoolP("help", "h", false, "") // else it would end the parsing
	name := flags.String("lang", lang.Locale(getenv), "")
	if err := flags.Parse(args); err != nil {
		return lang.Printer{}, nil // the command's own parsing says what is wrong
	}
	return lang.For(*name)
}

// failedError is what went wrong although the command was called the right way.
type failedError struct{ error }

func (e failedError) Unwrap() error { return e.error }

// newRoot returns the part of grade that this program is.
func newRoot(p lang.Printer, box *sandbox.Box) *cobra.Command {
	cmd := &cobra.Command{Use: "grade", Args: cobra.ArbitraryArgs, SilenceUsage: true, SilenceErrors: true}
	cmd.PersistentFlags().String("lang", "", p.Say("the language, en or zh (default: the locale's)"))
	cmd.AddCommand(newPlot(p, box), newCard(p))
	cmd.CompletionOptions.HiddenDefaultCmd = true
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var b strings.Builder
		out := cmd.OutOrStdout()
		cmd.SetOut(&b)
		help(cmd, args)
		cmd.SetOut(out)
		io.WriteString(out, lang.Fill(b.String(), p.Measure()))
	})
	return cmd
}

func newPlot(p lang.Printer, box *sandbox.Box) *cobra.Command {
	o := figure.Options{Box: box}
	var impl, out string
	cmd := &cobra.Command{
		Use:   "plot [NAME]",
		Short: p.Say("Make a picture: of your code, of a training run, of measurements"),
		Long: lang.Join(p.Say(`Plot makes a picture of your own code, of a training run or of measurements, as
PNG or SVG. Without a NAME it lists the figures and what each needs. What stands
in a picture is English, whatever --lang says: the fonts it is drawn with have no
Chinese characters. The dashboard (go run ./cmd/tui) shows the same in Chinese.

Exit status: 0 the picture was made, 1 it could not be made, 2 wrong usage.`)),
		Example: `  go run ./cmd/grade plot rope
  go run ./cmd/grade plot init --impl solutions --out init.svg
  go run ./cmd/grade plot loss --run runs/tiny-village --run runs/small-village --out loss.svg
  go run ./cmd/grade plot attention --run runs/tiny-village --prompt "Tom wanted a lamp."`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				list(cmd, p)
				return nil
			}
			o.Impl, o.Prints = grader.Impl(impl), cmd.ErrOrStderr()
			return picture(cmd, args[0], o, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", p.Say("write the picture to `FILE`, .png or .svg (default out/NAME.png)"))
	f.StringVar(&impl, "impl", "mine", p.Say("whose code is run: mine or solutions"))
	f.StringArrayVar(&o.Runs, "run", nil, p.Say("folder `DIR` of a training run; may be given several times"))
	f.StringVar(&o.Prompt, "prompt", "", p.Say("`TEXT` for the model that attention shows"))
	f.StringVar(&o.File, "data", "", p.Say("JSON `FILE` of measurements, for step, ladder and misconceptions"))
	if kit, err := workspace.Find("."); err == nil && !kit.WithSolutions() {
		_ = f.MarkHidden("impl")
		cmd.Example = strings.Replace(cmd.Example, "  go run ./cmd/grade plot init --impl solutions --out init.svg\n", "", 1)
	}
	return cmd
}

// picture makes a figure and writes it to a file.
func picture(cmd *cobra.Command, name string, o figure.Options, out string) error {
	if _, err := draw.FormatOf(out); err != nil && out != "" {
		return err // before anything is measured
	}
	here, err := os.Getwd()
	if err != nil {
		return failedError{err}
	}
	if o.Kit, err = workspace.Find(here); err != nil {
		return failedError{err}
	}
	if o.Impl == grader.Solutions && needsCode(name) && !o.Kit.WithSolutions() {
		return lang.Errorf("--impl solutions: this edition of the kit holds no solutions")
	}
	if out == "" {
		if out, err = besideTheKit(here, o.Kit, name+".png"); err != nil {
			return failedError{err}
		}
	}
	chart, err := figure.Make(cmd.Context(), name, o)
	var request *figure.RequestError
	switch {
	case errors.As(err, &request):
		return err
	case err == nil:
		err = draw.File(out, chart)
	case o.Impl == grader.Mine && needsCode(name) && o.Kit.WithSolutions():
		err = errors.Join(err, lang.Errorf("With --impl solutions you see it made by the solutions"))
	}
	if err != nil {
		return failedError{err}
	}
	fmt.Fprintln(cmd.OutOrStdout(), out)
	return nil
}

// besideTheKit returns the path of a picture in the kit's folder out, which git does
// not see, as it is called from here.
func besideTheKit(here string, kit *workspace.Kit, name string) (string, error) {
	folder := filepath.Join(kit.Root, "out")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return filepath.Rel(here, filepath.Join(folder, name))
}

// needsCode reports whether a figure shows what the code of the steps does.
func needsCode(name string) bool {
	return slices.ContainsFunc(figure.List(), func(i figure.Info) bool { return i.Name == name && i.Needs.Code })
}

// list writes the figures and what they need.
func list(cmd *cobra.Command, p lang.Printer) {
	name, shows := 0, 0
	for _, i := range figure.List() {
		name, shows = max(name, lang.Width(i.Name)), max(shows, lang.Width(i.Shows.In(p)))
	}
	for _, i := range figure.List() {
		line := lang.Pad(i.Name, name) + "  " + lang.Pad(i.Shows.In(p), shows) + "  " + strings.Join(i.Needs.Options(), " ")
		p.Row(cmd.OutOrStdout(), strings.TrimRight(line, " "))
	}
}
