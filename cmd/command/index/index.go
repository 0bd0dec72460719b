// Package index lists the commands of grade: what each does, and which program below cmd
// holds it. Whoever only grades compiles no more than what grades.
package index

import "strings"

// Group is what a command is for.
type Group string

// The groups, in the order of the help.
const (
	Work  Group = "Work on your steps"
	Train Group = "Train a model, and look at it"
	Teach Group = "Teach with the course"
	Kit   Group = "The kit"
)

// Groups returns the groups in the order of the help.
func Groups() []Group { return []Group{Work, Train, Teach, Kit} }

// Command is a command of grade.
type Command struct {
	Name    string
	Program string // the folder below cmd
	Group   Group
	Short   string
}

// Learn is the program that grades, and holds every command that is not listed.
const Learn = "learn"

// Handed is learn for what somebody has handed in.
const Handed = "handed"

// Commands returns all commands in the order of the help.
func Commands() []Command {
	return []Command{
		{Name: "describe", Program: Learn, Group: Work, Short: "The functions a subject answers: names, inputs, outputs, shapes"},
		{Name: "hint", Program: Learn, Group: Work, Short: "The next hint for what failed last, or hint number N"},
		{Name: "reset", Program: Learn, Group: Work, Short: "Put a step's stub back; a dated copy of your files is kept"},
		{Name: "derive", Program: Learn, Group: Work, Short: "Leave the derivatives out of the stubs, to find them yourself"},
		{Name: "history", Program: Learn, Group: Work, Short: "Your attempts, oldest first"},
		{Name: "report", Program: "studio", Group: Work, Short: "Grade every step and make a page of it, to keep or to hand on"},
		{Name: "milestone", Program: "studio", Group: Train, Short: "Let the steps that you have learn and write: what they can do now"},
		{Name: "train", Program: "studio", Group: Train, Short: "Train your own model on a text and watch it learn"},
		{Name: "compare", Program: "studio", Group: Train, Short: "Train variants of a model on the same batches, and draw their losses in one picture"},
		{Name: "generate", Program: "studio", Group: Train, Short: "Let a trained or imported model write"},
		{Name: "finetune", Program: "studio", Group: Train, Short: "Teach a trained model to answer questions, with your own adapters of step 17"},
		{Name: "chat", Program: "studio", Group: Train, Short: "Talk to a model that was taught to answer"},
		{Name: "translate", Program: "studio", Group: Train, Short: "Let your own encoder and decoder of step 20 write one text for another"},
		{Name: "explore", Program: "studio", Group: Train, Short: "Look into a trained model, on a page in the browser"},
		{Name: "serve", Program: "studio", Group: Train, Short: "Let a trained model answer many at once, with your own pages of step 22"},
		{Name: "publish", Program: "studio", Group: Train, Short: "Make a page of a trained model, with your own code, that anybody can open"},
		{Name: "eval", Program: "studio", Group: Train, Short: "How well a model foretells a text: loss, perplexity, bits per character and per byte"},
		{Name: "quantize", Program: "studio", Group: Train, Short: "A trained model in fewer bits, with your own formats of step 15"},
		{Name: "tokenize", Program: "studio", Group: Train, Short: "Learn tokens from a text, and cut texts into them, with your own step 14"},
		{Name: "import", Program: "studio", Group: Train, Short: "Read a model that was trained elsewhere, so that yours can run it"},
		{Name: "export", Program: "studio", Group: Train, Short: "Write a model's parameters as .safetensors or .npz"},
		{Name: "bench", Program: "studio", Group: Train, Short: "Measure speed on this machine"},
		{Name: "plot", Program: "plot", Group: Train, Short: "Make a picture: of your code, of a training run, of measurements"},
		{Name: "card", Program: "plot", Group: Train, Short: "Make a picture of what you have built"},
		{Name: "class", Program: "teach", Group: Teach, Short: "Grade many submissions, in isolation, and write the gradebook"},
		{Name: "likeness", Program: "teach", Group: Teach, Short: "Report submissions that are alike, to look at"},
		{Name: "quiz", Program: "teach", Group: Teach, Short: "Make a printable sheet of questions, and its key"},
		{Name: "release", Program: "teach", Group: Teach, Short: "Write an edition of the kit: for students, for graders, for a platform"},
		{Name: "slides", Program: "teach", Group: Teach, Short: "Make decks of slides of the lessons, with notes for who presents them"},
		{Name: "times", Program: "teach", Group: Teach, Short: "How long a class took, from what its students handed over"},
		{Name: "doctor", Program: "studio", Group: Kit, Short: "Is this machine ready: Go, modules, CPU features, write access, limits"},
		{Name: "update", Program: "studio", Group: Kit, Short: "Bring the newer kit in DIR into this one; your code is merged and a copy kept"},
		{Name: "dev", Program: "author", Group: Kit, Short: "For those who work on the course itself"},
	}
}

// Program returns the program that the arguments of grade are for.
func Program(args []string) string {
	name := Name(args)
	for _, c := range Commands() {
		if c.Name == name {
			return c.Program
		}
	}
	for _, arg := range args {
		if arg == "--dir" || strings.HasPrefix(arg, "--dir=") {
			return Handed
		}
	}
	return Learn
}

// Name is the command that the arguments name, "" if they name none.
func Name(args []string) string {
	if at := At(args); at < len(args) {
		return args[at]
	}
	return ""
}

// Short says in a line what a command does.
func Short(name string) string {
	for _, c := range Commands() {
		if c.Name == name {
			return c.Short
		}
	}
	return ""
}

// At is where a command line names its command: the place of the first word that is no
// option, or behind the end.
func At(args []string) int {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--lang":
			i++
		case len(args[i]) > 0 && args[i][0] != '-':
			return i
		}
	}
	return len(args)
}
