// Package mistake reads the known mistakes of a step and makes them in its
// solution. They are Go files, kept out of every build by their constraint:
//
//	//go:build mistake
//
//	package swiglu
//
//	// silu-without-x: SiLU is only the sigmoid: the factor x is missing
//	//
//	// Why: SiLU weights its input by a sigmoid; the sigmoid alone is another function.
//	//
//	// Hint: SiLU(x) = x·σ(x).
//	func SiLU() {
//		if right {
//			kernel.Mul(dst, dst, x)
//		} else {
//		}
//	}
//
// The comment before a declaration begins a mistake, and what follows without a
// comment belongs to it. Its first line is the mistake's id and its title, or
// an id with a slash, "silu-without-x/derivative-too", for another version of a
// mistake above, with a title of its own if its name does not say what it is. The paragraphs after it are Why, Hint and, where needed,
// Invisible, Curve and In; see Mistake and Version. "With: silu-without-x" makes
// the changes of a version above as well.
//
// A function goes by its name, a method by "func (*SwiGLU) Forward()". What is
// in its body under "if right" stands exactly once in the solution's function,
// and is exchanged for what is under "else". A function with any other body
// takes the place of the solution's, and so does a type, a constant or a
// variable; one that the solution does not have is added to it.
//
// Code is compared by its tokens: comments, line breaks and trailing commas make
// no difference, in the solution or here. Imports come and go as they are
// needed, from those at the beginning of the mistake's file.
package mistake

// Mistake is something that students are known to get wrong. Every mistake must
// be caught by at least one check, and a submission that answers like one is
// told so.
type Mistake struct {
	ID    string // unique in its step: "eps-outside-root"
	Title string // completes "what you get when …", in the student's words
	Why   string // what the mistake teaches
	Hint  string // its fix, shown with the diagnosis: what is right, or what to do; never what is wrong
	// Invisible is the proof that the mistake changes no result, so that no
	// check can catch it; "" for all others.
	Invisible string
	// Curve says that the loss of a training run tells the mistake even where not
	// every number is the same, as in a program that has another mistake besides.
	Curve bool
	// Versions are the ways to make the mistake, which lead to different answers:
	// a derivative that fits the wrong formula, and one that does not. The first
	// has the mistake's id.
	Versions []Version
}

// Version is one way to make a mistake.
type Version struct {
	ID string // "eps-outside-root" or "eps-outside-root/derivative-too"
	// Title is the mistake's, or says what this version does; "" where its name
	// says so, see diagnose.Store.Title.
	Title string
	// In says where its declarations are looked for, if not in all files of the
	// step: a file, a folder of another step, or both: "step08_attention/mask.go".
	In string

	at      string // where it is written down: "mistakes/silu.go:12"
	folder  string // of its step
	changes []change
	imports []imported // which it may need
}

// change is what a version does to one declaration.
type change struct {
	at    string // where it is written down
	name  string // of the declaration: "SiLU", "SwiGLU.Forward"
	edits []edit // of its statements
	// code takes the place of the declaration, where there are no edits.
	code    string
	keyword string // "func", "type", "const" or "var"
}

// edit exchanges statements of a function.
type edit struct {
	at    string
	right string   // the statements as in the solution, to be shown
	want  []string // their tokens
	wrong string   // what takes their place
}

// imported is a line of an import block.
type imported struct{ name, path string }
