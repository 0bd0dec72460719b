package steps

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"
	"github.com/stubformer/stubformer/cmd/command/launch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// helpUsage describes --help.
const helpUsage = "this help"

// help is what --help says of a verb; of the first, with the commands of all programs.
func help(p lang.Printer, v *verb, verbs []*verb) string {
	var b strings.Builder
	about := v.long
	if about == "" {
		about = index.Short(v.name())
	}
	fmt.Fprintf(&b, "%s\n\n%s\n  %s\n", lang.Join(lang.Of(about).In(p)), p.Say("Usage:"), v.usage()+" "+p.Say("[flags]"))
	if v == verbs[0] {
		fmt.Fprintf(&b, "  grade %s\n", p.Say("[command]"))
	}
	if example := v.examples(); example != "" {
		fmt.Fprintf(&b, "\n%s\n%s\n", p.Say("Examples:"), example)
	}
	if v == verbs[0] {
		commands(&b, p)
	}
	fmt.Fprintf(&b, "\n%s\n", p.Say("Flags:"))
	var rows [][2]string
	for _, o := range v.shown() {
		rows = append(rows, v.row(o, p))
	}
	table(&b, append(rows, [2]string{"  -h, --help", lang.Of(helpUsage).In(p)}))
	if v == verbs[0] {
		fmt.Fprintf(&b, "\n%s\n", p.Say(`Use "%s [command] --help" for more information about a command.`, "grade"))
	}
	return lang.Fill(b.String(), p.Measure())
}

// commands writes the commands of the programs that this edition of the kit holds.
func commands(b *strings.Builder, p lang.Printer) {
	kit, err := workspace.Find(".")
	for _, g := range index.Groups() {
		var rows [][2]string
		for _, c := range index.Commands() {
			if c.Group == g && (err != nil || launch.Holds(kit.Root, c.Program)) {
				rows = append(rows, [2]string{"  " + c.Name, lang.Of(c.Short).In(p)})
			}
		}
		if rows != nil {
			fmt.Fprintf(b, "\n%s\n", lang.Of(string(g)+":").In(p))
			table(b, rows)
		}
	}
}

// table writes rows of two columns.
func table(b *strings.Builder, rows [][2]string) {
	wide := 0
	for _, r := range rows {
		wide = max(wide, lang.Width(r[0]))
	}
	for _, r := range rows {
		fmt.Fprintf(b, "%s   %s\n", lang.Pad(r[0], wide), r[1])
	}
}

// withoutSolutions reports whether the kit is an edition that holds no solutions.
func withoutSolutions() bool {
	kit, err := workspace.Find(".")
	return err == nil && !kit.WithSolutions()
}

// shown are the options that the help speaks of: in an edition without solutions none that
// is about these.
func (v *verb) shown() (all []*flag.Flag) {
	none := withoutSolutions()
	v.options.VisitAll(func(f *flag.Flag) {
		if !none || !slices.Contains([]string{"impl", "own-stack"}, f.Name) {
			all = append(all, f)
		}
	})
	return all
}

// examples are the commands that show how a verb is used, likewise.
func (v *verb) examples() string {
	if !withoutSolutions() {
		return v.example
	}
	lines := strings.Split(v.example, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, "--impl") }), "\n")
}

// row describes an option.
func (v *verb) row(f *flag.Flag, p lang.Printer) [2]string {
	kind, usage := flag.UnquoteUsage(&flag.Flag{Name: f.Name, Usage: lang.Of(f.Usage).In(p), Value: f.Value, DefValue: f.DefValue})
	head := "      --" + f.Name
	for letter, name := range v.letters {
		if name == f.Name {
			head = "  -" + letter + ", --" + f.Name
		}
	}
	if kind != "" {
		head += " " + kind
	}
	if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" {
		usage += " " + p.Say("(default ") + fmt.Sprintf("%q)", f.DefValue)
	}
	return [2]string{head, usage}
}

// treeOf is what the tests of the command line see of the verbs.
func treeOf(verbs []*verb) command.Tree {
	one := func(v *verb) (t command.Tree) {
		t.Short, t.Long = v.short, v.long
		v.options.VisitAll(func(f *flag.Flag) { t.Options = append(t.Options, command.Option{Name: f.Name, Usage: f.Usage}) })
		for letter, name := range v.letters {
			for i := range t.Options {
				if t.Options[i].Name == name {
					t.Options[i].Short = letter
				}
			}
		}
		return t
	}
	root := one(verbs[0])
	for _, v := range verbs[1:] {
		t := one(v)
		t.Path, t.Short = v.name(), index.Short(v.name())
		root.Below = append(root.Below, t)
	}
	return root
}
