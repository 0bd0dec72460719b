package command

import (
	"encoding/json"
	"io"
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

// TreeName is the hidden command that writes a program's tree.
const TreeName = "__tree"

// Option is an option of a command.
type Option struct{ Name, Short, Usage string }

// Write writes the tree as JSON.
func (t Tree) Write(w io.Writer) error { return json.NewEncoder(w).Encode(t) }
