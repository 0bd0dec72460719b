// Package course says what a step is and how it is put to a subject: functions,
// checks with their points, hints, and what the steps need of each other.
//
// The steps themselves are packages below this one, one each, and registry lists
// them. Whose code a check talks to, in which process and on which machine, none
// of them knows: a check sees a Subject that answers calls.
package course

import (
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
)

// Version is the version of the kit, as it stands in every report.
const Version = "0.1.0"

// Step is one assignment.
type Step struct {
	ID     string // "step05"
	Name   string // the package's name: "swiglu"
	Folder string // below steps/ and solutions/: "step05_swiglu"
	Title  string // for people: "SwiGLU, the gated feed-forward network"
	Track  Track
	Needs  []string            // ids of the steps whose code this one calls
	Place  Place               // that its code can take in a model
	Seats  []Seat              // of a step whose parts can take places by themselves
	Sets   map[string][]string // what stands for several of them: "gpt2"
	Uses   Uses                // what else it may use, beside these and what they need

	Functions []fixtures.Function
	Checks    []Check
	Builds    []Build // for the checks that the ordinary probe cannot answer
	// Inside lists checks, by id or its beginning, that look inside a Go program:
	// its files, its processors, its speed. An external subject is not asked them.
	Inside []string
	Hints  []Hint
	Truths map[string]Solver // of functions that the oracle does not answer
	// Derived makes the truth of a function from what the oracle answers to others.
	Derived map[string]func(Oracle) Solver
	// KeptBack lists the checks, by id, that a student edition cannot make: only the
	// instructor's edition knows what they should give. They are not among Checks.
	KeptBack []string

	Parts []Part // of a large step; see AsSteps
	Part  Part   // of a step that is a part of another: which
	Of    *Step  // the step that it is a part of; nil if it is none
}

// Seat is a part of a step that takes places of its own in a model.
type Seat struct {
	Name   string // by which it is asked for: "layernorm"
	Places []Place
}

// Place is a part of the model that an elective can be put into: declarations of
// another step that its own stand in for. The zero Place is none.
type Place struct {
	In    string   // id of the step: "step08"
	Names []string // exported types and functions, which both declare: "MultiHead", "NewMultiHead"

	// By says what stands at a name, where that depends on the model: a call of a function
	// of the elective, with fields of the model's configuration for arguments, that
	// returns it. "NewMultiHead": "Grouped(num_kv_heads)". An argument with_NAME says whether
	// that part stands in the model too: with_post_norm. For a type it is the name of another
	// type: "Attention": "Window".
	By map[string]string

	// Generates says that a model with it is there to generate: it has no derivative.
	Generates bool
}

// Build is a way to build and run the probe that some checks need.
type Build struct {
	Checks  string    // ids of the checks, or their beginning
	Files   string    // how the names of the files begin that these checks are about
	Env     []string  // added to the environment of the build and of the probe
	Missing lang.Text // why this machine cannot do it, so that the checks are left out of the points; empty if it can
}

// BuildFor returns the build that a check needs, or nil for the ordinary one.
func (s *Step) BuildFor(check string) *Build {
	for i, b := range s.Builds {
		if strings.HasPrefix(check, b.Checks) {
			return &s.Builds[i]
		}
	}
	return nil
}

// LooksInside reports whether a check is one of those in Inside.
func (s *Step) LooksInside(check string) bool {
	return slices.ContainsFunc(s.Inside, func(id string) bool { return strings.HasPrefix(check, id) })
}

// Check is one question put to a subject, worth some points.
type Check struct {
	ID     string // "swiglu.forward.fresh"
	Title  string // for people
	Points int
	Run    func(*Exam) error // nil if passed; see Exam
	Timed  bool              // what it finds depends on the clock

	Backward bool // it goes through the backward pass too, which its id does not say
}

// Max returns the points of the whole step.
func (s *Step) Max() int {
	sum := 0
	for _, c := range s.Checks {
		sum += c.Points
	}
	return sum
}

// CheckIDs are the ids of the checks, in their order.
func (s *Step) CheckIDs() []string {
	ids := make([]string, len(s.Checks))
	for i, c := range s.Checks {
		ids[i] = c.ID
	}
	return ids
}

// Function returns the contract of the named function, or nil.
func (s *Step) Function(name string) *fixtures.Function {
	for i := range s.Functions {
		if s.Functions[i].Name == name {
			return &s.Functions[i]
		}
	}
	return nil
}

// Find returns the step that a person means by name: step05, 05, 5, swiglu,
// step05_swiglu or a path that ends in it.
func Find(steps []*Step, name string) (*Step, error) {
	base := path.Base(strings.TrimRight(strings.ReplaceAll(name, `\`, "/"), "/"))
	number := strings.TrimLeft(strings.TrimPrefix(base, "step"), "0")
	for _, s := range steps {
		if slices.Contains([]string{s.ID, s.Name, s.Folder}, base) {
			return s, nil
		}
		if number != "" && number == strings.TrimLeft(strings.TrimPrefix(s.ID, "step"), "0") {
			return s, nil
		}
	}
	known := make([]string, len(steps))
	for i, s := range steps {
		known[i] = s.ID + " (" + s.Name + ")"
	}
	return nil, lang.Errorf("there is no step %q; the steps are %s, or all", name, strings.Join(known, ", "))
}

// FunctionNames returns the names of the step's functions, each behind those that
// it is made of.
func (s *Step) FunctionNames() []string {
	var names []string
	for _, f := range s.Functions {
		names = append(names, f.Name)
	}
	return names
}
