package workspace

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course"
)

// Steps 4 and 5 of a kit that has electives: both can take a place in step 2.
var guests = files{
	"steps/step01_one/one.go": ownOne,
	"steps/step02_two/two.go": `package two

import (
	"strings"

	one "github.com/stubformer/stubformer/steps/step01_one"
)

type (
	// Two is built on a Part.
	Two struct{ part *Part }

	// Part says a name.
	Part struct{ prefix string }
)

func New(p string) *Two { return &Two{NewPart(p)} }

func NewPart(p string) *Part { return checked(&Part{p}) }

func (two *Two) Name() string { return "two(" + two.part.Name() + ")" }

func (p *Part) Name() string { return p.prefix + tidy(" own part on "+one.Name()) }

// checked and tidy are of use for a Part only.
func checked(p *Part) *Part {
	if p.prefix == "!" {
		panic("!")
	}
	return p
}

func tidy(s string) string { return strings.TrimSpace(s) }
`,
	"steps/step03_three/three.go": "package three\n\nimport two \"github.com/stubformer/stubformer/steps/step02_two\"\n\nfunc Name() string { return two.New(\"\").Name() }\n",
	"steps/step04_four/four.go": `package four

import two "github.com/stubformer/stubformer/steps/step02_two"

// Part is a part on two parts.
type Part struct{ left, right *two.Part }

func NewPart(p string) *Part { return &Part{two.NewPart(p), two.NewPart(p)} }

func (p *Part) Name() string { return "four[" + p.left.Name() + ", " + p.right.Name() + "]" }
`,
	"steps/step05_five/five.go": `package five

import (
	three "github.com/stubformer/stubformer/steps/step03_three"
	two "github.com/stubformer/stubformer/steps/step02_two"
)

type Two struct{ part *two.Part }

func New(p string) *Two { return &Two{two.NewPart(p)} }

func (t *Two) Name() string { return "five{" + t.part.Name() + "; before: " + three.Name() + "}" }
`,
}

func withElectives() []*course.Step {
	return append(toys(),
		&course.Step{ID: "step04", Folder: "step04_four", Needs: []string{"step02"}, Uses: course.Ordinary()},
		&course.Step{ID: "step05", Folder: "step05_five", Needs: []string{"step02", "step03"}, Uses: course.Ordinary()})
}

// withGuests is a kit with the guests, whose stubs are stored.
func withGuests(t *testing.T, edits files) *Kit {
	k := newKit(t, nil)
	guests.write(t, k.Root)
	for _, name := range []string{"four", "five"} {
		files{filepath.Join("steps", map[string]string{"four": "step04_four", "five": "step05_five"}[name], name+"_test.go"): strings.ReplaceAll(
			"package NAME_test\n\nimport (\n\t\"testing\"\n\n\t\"github.com/stubformer/stubformer/grader/probe/subject\"\n)\n\nfunc Test(t *testing.T) { subject.Test(t, func() string { return \"\" }) }\n",
			"NAME", name)}.write(t, k.Root)
	}
	require.NoError(t, WritePristine(k.Root))
	edits.write(t, k.Root)
	return findKit(t, k.Root)
}

func TestStandIn(t *testing.T) {
	sweep.Only(t)
	four := StandIn{Folder: "step04_four", For: "step02_two", Names: []string{"Part", "NewPart"}}
	five := StandIn{Folder: "step05_five", For: "step02_two", Names: []string{"Two", "New"}}
	const part = "own part on own one"
	for name, c := range map[string]struct {
		with []StandIn
		want string
	}{
		"nobody":       {nil, "two(" + part + ")"},
		"a part":       {[]StandIn{four}, "two(four[" + part + ", " + part + "])"},
		"the whole":    {[]StandIn{five}, "five{" + part + "; before: two(" + part + ")}"},
		"both":         {[]StandIn{four, five}, "five{four[" + part + ", " + part + "]; before: two(four[" + part + ", " + part + "])}"},
		"in any order": {[]StandIn{five, four}, "five{four[" + part + ", " + part + "]; before: two(four[" + part + ", " + part + "])}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := withGuests(t, nil)
			require.Equal(t, c.want+", bound with own one", answer(t, k, Build{Course: withElectives(), Step: "step03_three", With: c.with}))
		})
	}
}

// What a guest does not take the place of is one and the same for all, unless what stays
// beside it reaches into it; and a name may be given to what a call returns.
func TestStandInShares(t *testing.T) {
	sweep.Only(t)
	two := files{"steps/step02_two/two.go": `package two

import one "github.com/stubformer/stubformer/steps/step01_one"

type Part struct{}

func NewPart() *Part { return new(Part) }

func (*Part) Name(k *Kind) string { return k.Name + one.Name() }

// Kind has nothing to do with a Part.
type Kind struct{ Name, hidden string }

func NewKind(name string) *Kind { return &Kind{name, ""} }

func Whole() string { return NewPart().Name(NewKind("whole")) }
`,
		"steps/step03_three/three.go": "package three\n\nimport two \"github.com/stubformer/stubformer/steps/step02_two\"\n\nfunc Name() string { return two.NewPart().Name(two.NewKind(\"kind\")) + two.Whole() }\n",
		"steps/step04_four/four.go": `package four

import two "github.com/stubformer/stubformer/steps/step02_two"

type Part struct{ n int }

func NewPart() *Part { return nil }

func Made(n int) func() *Part { return func() *Part { return &Part{n} } }

func (p *Part) Name(k *two.Kind) string { return k.Name + string(rune('0'+p.n)) }
`,
	}
	four := StandIn{Folder: "step04_four", For: "step02_two", Names: []string{"Part", "NewPart"}, By: map[string]string{"NewPart": "Made(3)"}}
	k := withGuests(t, two)
	require.Equal(t, "kind3whole3, bound with own one", answer(t, k, Build{Course: withElectives(), Step: "step03_three", With: []StandIn{four}}))

	literal := four
	literal.By, literal.Instead = nil, map[string]string{"NewPart": "func() *standin.Part { return standin.Made(4)() }"}
	require.Equal(t, "kind4whole4, bound with own one", answer(t, k, Build{Course: withElectives(), Step: "step03_three", With: []StandIn{literal}}))

	other := strings.NewReplacer("type Part ", "type Other ", "*Part", "*Other", "&Part", "&Other")
	files{"steps/step04_four/four.go": other.Replace(two["steps/step04_four/four.go"])}.write(t, k.Root)
	four.By["Part"] = "Other"
	require.Equal(t, "kind3whole3, bound with own one", answer(t, k, Build{Course: withElectives(), Step: "step03_three", With: []StandIn{four}}))
	four.By["Part"] = "Nothing"
	_, err := tryBuild(t, k, Build{Course: withElectives(), Step: "step03_three", With: []StandIn{four}})
	require.ErrorContains(t, err, "step04_four has to declare Nothing, to stand in for Part of step02_two")

	delete(four.By, "Part")
	files{"steps/step04_four/four.go": two["steps/step04_four/four.go"]}.write(t, k.Root)
	four.By["NewPart"] = "Unmade(3)"
	_, err = tryBuild(t, k, Build{Course: withElectives(), Step: "step03_three", With: []StandIn{four}})
	require.ErrorContains(t, err, "step04_four has to declare the function Unmade, to stand in for NewPart of step02_two")

	inventory := takeInventory(&code{files: map[string][]byte{"two.go": []byte(two["steps/step02_two/two.go"])}})
	require.Equal(t, []string{"Kind", "NewKind"}, inventory.apartFrom([]string{"Part", "NewPart"}))
	reaching := strings.Replace(two["steps/step02_two/two.go"], `NewKind("whole"))`, `&Kind{hidden: "whole"})`, 1)
	inventory = takeInventory(&code{files: map[string][]byte{"two.go": []byte(reaching)}})
	require.Empty(t, inventory.apartFrom([]string{"Part", "NewPart"}), "NewKind is made of Kind")
}

// A step can stand at several places: what of it stands at one sees the others as they are in
// the program, and what it replaces as it was. A name that a call returns need not be its own.
func TestStandInAtTwoPlaces(t *testing.T) {
	sweep.Only(t)
	k := withGuests(t, files{"steps/step04_four/four.go": `package four

import (
	one "github.com/stubformer/stubformer/steps/step01_one"
	two "github.com/stubformer/stubformer/steps/step02_two"
)

// Part is a part on a part.
type Part struct{ below *two.Part }

func NewPart(p string) *Part { return &Part{two.NewPart(p)} }

func (p *Part) Name() string { return "four on " + one.Name() + " [" + p.below.Name() + "]" }

func Named(prefix string) func() string { return func() string { return prefix + one.Name() } }
`})
	with := []StandIn{{Folder: "step04_four", For: "step02_two", Names: []string{"Part", "NewPart"}},
		{Folder: "step04_four", For: "step01_one", Names: []string{"Name"}, By: map[string]string{"Name": `Named("fourth ")`}}}
	for range 2 {
		const part = "four on fourth own one [own part on fourth own one]"
		require.Equal(t, "two("+part+"), bound with fourth own one", answer(t, k, Build{Course: withElectives(), Step: "step03_three", With: with}))
		slices.Reverse(with)
	}

	files{"steps/step04_four/more.go": "package four\n\nfunc Unused() { unused := 3 }\n"}.write(t, k.Root)
	_, err := tryBuild(t, k, Build{Course: withElectives(), Step: "step03_three", With: with})
	require.ErrorContains(t, err, filepath.Join("steps", "step04_four", "more.go")+":3:")
	require.ErrorContains(t, err, "step04_four, which step03_three is built on, does not compile")
}

// What is wrong with a guest is told in the words of its author.
func TestStandInThatDoesNotFit(t *testing.T) {
	four := StandIn{Folder: "step04_four", For: "step02_two", Names: []string{"Part", "NewPart"}}
	for name, c := range map[string]struct {
		four string
		with StandIn
		want string
	}{
		"lacks a name":        {"package four\n\ntype Part struct{}\n", four, "step04_four has to declare NewPart as step02_two does"},
		"another kind":        {"package four\n\ntype NewPart struct{}\n\nfunc Part() {}\n", four, "step04_four has to declare Part as step02_two does"},
		"no such place":       {guests["steps/step04_four/four.go"], StandIn{Folder: "step04_four", For: "step02_two", Names: []string{"Whole"}}, "step02_two declares no Whole"},
		"a method is missing": {"package four\n\ntype Part struct{}\n\nfunc NewPart(string) *Part { return nil }\n", four, filepath.Join("steps", "step02_two", "two.go") + ":21:"},
		"which is explained":  {"package four\n\ntype Part struct{}\n\nfunc NewPart(string) *Part { return nil }\n", four, "Part, NewPart of step04_four stands in for that of step02_two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := withGuests(t, files{"steps/step04_four/four.go": c.four})
			_, err := tryBuild(t, k, Build{Course: withElectives(), Step: "step03_three", With: []StandIn{c.with}})
			require.ErrorContains(t, err, c.want)
		})
	}
}
