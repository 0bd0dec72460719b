package command

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Tree is a command with its options and all below it, as the tests of the command line
// see it: they compare what documents and translations say with what there is.
type Tree struct {
	Path    string
	Short   string
	Long    string
	Foreign bool // its options are another program's
	Options []Option
	Below   []Tree
}

// Option is an option of a command.
type Option struct{ Name, Short, Usage string }

// treeName is the hidden command that writes a program's tree.
const treeName = "__tree"

// addTree makes the hidden command known.
func addTree(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	tree := treeOf(root)
	root.AddCommand(&cobra.Command{Use: treeName, Hidden: true, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return writeTree(cmd.OutOrStdout(), tree)
	}})
}

func writeTree(w io.Writer, t Tree) error { return json.NewEncoder(w).Encode(t) }

func treeOf(cmd *cobra.Command) Tree {
	t := Tree{Path: strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())), Short: cmd.Short, Long: cmd.Long, Foreign: cmd.DisableFlagParsing}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { t.Options = append(t.Options, Option{f.Name, f.Shorthand, f.Usage}) })
	for _, c := range cmd.Commands() {
		t.Below = append(t.Below, treeOf(c))
	}
	return t
}
