package workspace

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// StandIn says that declarations of one step take the place of another's, as
// grouped queries do for the multi-head layer of step 8.
type StandIn struct {
	Folder string   // of the step that has them
	For    string   // of the step that they take the place in
	Names  []string // exported types and functions, which both declare

	// By says what stands at some of the names in place of the step's declaration of that
	// name: a call of a function of the step, "Grouped(2)", or another type, "Window".
	By map[string]string

	// Instead says what stands at some of the functions' names in place of both: a function
	// literal in Go, in which the step is called standin and reference/tensor tensor.
	Instead map[string]string

	// Apart says that a copy of the step takes the place, and the step stays what it is for a
	// program that imports it: what that program makes of it is of the model, as others are.
	Apart bool
}

// seat lets the guests of a build take their places, each after those that it
// calls itself: grouped queries attend with the flash product, if both stand in.
// It leaves steps as they are, and returns them with the guests among them.
func seat(steps map[string]*code, guests []StandIn) (map[string]*code, error) {
	if len(guests) == 0 {
		return steps, nil
	}
	seated := map[string]*code{}
	for folder, c := range steps {
		own := *c
		seated[folder] = &own
	}
	steps = seated
	guests = apartByPlace(steps, guests)
	for guests = slices.Clone(guests); len(guests) > 0; {
		next := slices.IndexFunc(guests, func(s StandIn) bool {
			mentioned := takeInventory(steps[s.Folder])
			return !slices.ContainsFunc(guests, func(o StandIn) bool {
				return o.Folder != s.Folder && o.For == s.For && slices.ContainsFunc(o.Names, mentioned.mention)
			})
		})
		next = max(0, next) // each calls the other: as they come
		if err := standIn(steps, guests[next]); err != nil {
			return nil, err
		}
		guests = slices.Delete(guests, next, next+1)
	}
	return seated, nil
}

// apartByPlace returns the guests with a copy of its own for each further place that a
// folder takes: what stands at one place then sees the others as they are in the model. One
// that is to stay apart has a copy for its first place, too.
func apartByPlace(steps map[string]*code, guests []StandIn) []StandIn {
	guests = slices.Clone(guests)
	for i, s := range guests {
		if s.Apart || slices.ContainsFunc(guests[:i], func(o StandIn) bool { return o.Folder == s.Folder }) {
			copied := *steps[s.Folder]
			copied.folder, copied.copied = s.Folder+"_for_"+s.For, s.Folder
			steps[copied.folder], guests[i].Folder = &copied, copied.folder
		}
	}
	return guests
}

// standIn lets the declarations of s.Folder take their place in s.For. All who
// import s.For get them, and what is left of s.For itself, too: a multi-head layer
// attends with the product that stands in. Only s.Folder, and what it is built on,
// see s.For as it was before: they import copies, at paths of their own. What has
// nothing to do with the change, such as a mask, is one and the same in both.
func standIn(steps map[string]*code, s StandIn) error {
	place, guest := steps[s.For], steps[s.Folder]
	before := map[string]string{}
	for folder := range reachable(steps, s.Folder) {
		if folder != s.Folder && reachable(steps, folder)[s.For] {
			before[folder] = folder + "_before_" + s.Folder
		}
	}
	for folder, path := range before {
		original := *steps[folder]
		original.folder, original.copied = path, original.step()
		if err := original.importing(before); err != nil {
			return err
		}
		steps[path] = &original
	}
	if err := guest.importing(before); err != nil {
		return err
	}
	return place.give(s, guest, before[s.For])
}

// step is the folder of the step whose code it is, of a copy too.
func (c *code) step() string { return cmp.Or(c.copied, c.folder) }

// reachable returns the steps that a step imports, directly or through another,
// and itself.
func reachable(steps map[string]*code, folder string) map[string]bool {
	found := map[string]bool{}
	var visit func(folder string)
	visit = func(folder string) {
		if !found[folder] && steps[folder] != nil {
			found[folder] = true
			for _, next := range steps[folder].steps {
				visit(next)
			}
		}
	}
	visit(folder)
	return found
}

// importing lets the code import other folders of steps: those that instead names.
func (c *code) importing(instead map[string]string) error {
	files := maps.Clone(c.files)
	for name, data := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, data, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range slices.Backward(file.Imports) { // so that the places before stay
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if to := instead[strings.TrimPrefix(imported, module+"/steps/")]; to != "" {
				data = splice(data, offset(fset, spec.Path.Pos()), offset(fset, spec.Path.End()), strconv.Quote(module+"/steps/"+to))
			}
		}
		files[name] = data
	}
	c.files, c.steps = files, slices.Clone(c.steps)
	for i, folder := range c.steps {
		if to := instead[folder]; to != "" {
			c.steps[i] = to
		}
	}
	return nil
}

// give removes declarations, with what only they used, and lets those of the guest
// stand at their names; what does not depend on them comes from the copy at the path
// before, if there is one. Lines keep their numbers.
func (c *code) give(s StandIn, guest *code, before string) error {
	declared, offered := takeInventory(c), takeInventory(guest)
	var text strings.Builder
	for _, name := range s.Names {
		own, theirs := declared.kind[name], offered.kind[name]
		function, _, _ := strings.Cut(s.By[name], "(")
		another := name
		if own == token.TYPE && function != "" {
			another, function, theirs = function, "", offered.kind[function]
		}
		instead := s.Instead[name]
		switch {
		case own == 0:
			return lang.Errorf("%s declares no %s, so that nothing can stand in for it", c.folder, name)
		case instead != "":
			fmt.Fprintf(&text, "var %s = %s\n", name, instead)
		case another != name && own != theirs:
			return lang.Errorf("%s has to declare %s, to stand in for %s of %s", guest.step(), another, name, c.folder)
		case function == "" && own != theirs:
			return lang.Errorf("%s has to declare %s as %s does, to stand in for it", guest.step(), name, c.folder)
		case function != "" && offered.kind[function] != token.FUNC:
			return lang.Errorf("%s has to declare the function %s, to stand in for %s of %s", guest.step(), function, name, c.folder)
		case function != "":
			fmt.Fprintf(&text, "var %s = standin.%s\n", name, s.By[name])
		case own == token.TYPE:
			fmt.Fprintf(&text, "type %s = standin.%s\n", name, another)
		default:
			fmt.Fprintf(&text, "var %s = standin.%s\n", name, name)
		}
	}
	imports, steps := fmt.Sprintf("import standin %q\n", module+"/steps/"+guest.folder), []string{guest.folder}
	var same []string
	if before != "" {
		same = declared.apartFrom(s.Names)
	}
	for _, name := range same {
		keyword := map[bool]string{true: "type", false: "var"}[declared.kind[name] == token.TYPE]
		fmt.Fprintf(&text, "%s %s = before.%s\n", keyword, name, name)
	}
	if len(same) > 0 {
		imports, steps = imports+fmt.Sprintf("import before %q\n", module+"/steps/"+before), append(steps, before)
	}
	if strings.Contains(text.String(), "tensor.") {
		imports += fmt.Sprintf("import %q\n", module+"/reference/tensor")
	}
	c.files = declared.without(slices.Concat(s.Names, same))
	// A file whose name ends in the folder's would be one for Windows alone in step21_windows.
	c.files[guest.folder+"_stands_in.go"] = fmt.Appendf(nil, "package %s\n\n%s\n%s", declared.pkg, imports, &text)
	c.steps = slices.Concat(c.steps, steps)
	return nil
}
