// Use decides whose code the cells of a notebook run on. The first cell of every
// notebook calls it:
//
//	!go run ./use solutions    the solutions, for every step
//	!go run ./use own          your own steps, and the solutions of those that you have not begun
//
// The cells import steps/…, as all code of the course does. What stands behind
// those paths is decided as everywhere in the course, by Go's -overlay: use
// writes overlay.json, and a go.mod that leads to this checkout, into the folder
// in which GoNB builds the cells. Nothing is written into the checkout.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"
)

func main() {
	if err := use(os.Args[1:], os.Getenv("GONB_TMP_DIR")); err != nil {
		fmt.Fprintln(os.Stderr, "use:", err)
		os.Exit(1)
	}
}

// use writes what the cells are built with into the folder build.
func use(args []string, build string) error {
	if len(args) != 1 || args[0] != "solutions" && args[0] != "own" {
		return fmt.Errorf("got %q, want one word: solutions, or own for your own steps", strings.Join(args, " "))
	}
	if build == "" {
		return errors.New("GONB_TMP_DIR is not set; run this in a cell of a notebook, after an exclamation mark")
	}
	notebooks, err := os.Getwd()
	if err != nil {
		return err
	}
	kit := filepath.Dir(notebooks)
	own, err := choose(kit, args[0])
	if err != nil {
		return err
	}
	overlay, err := overlay(kit, own)
	if err != nil {
		return err
	}
	mod, err := module(notebooks)
	if err != nil {
		return err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"go.mod": mod, "go.sum": sum, "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(build, name), data, 0o600); err != nil {
			return err
		}
	}
	fmt.Println(describe(own))
	missing, err := unfinished(kit, own)
	if len(missing) > 0 {
		fmt.Println("Not written yet, and a cell that needs it will stop there: " + strings.Join(missing, ", "))
	}
	return err
}

// choice is a step, and whether the student's own code stands behind it.
type choice struct {
	folder string
	own    bool
}

// choose says for every step of the kit whose code it is. Own code begins where
// a stub has been changed; a kit without solutions has nothing else.
func choose(kit, whose string) ([]choice, error) {
	folders, err := filepath.Glob(filepath.Join(kit, "steps", "step*"))
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("%s holds no steps; run this in the folder notebooks of the kit", kit)
	}
	var choices []choice
	for _, path := range folders {
		folder := filepath.Base(path)
		own := false
		if whose == "own" {
			if own, err = begun(kit, folder); err != nil {
				return nil, err
			}
		}
		if _, err := os.Stat(filepath.Join(kit, "solutions", folder)); !own && err != nil {
			if whose == "solutions" {
				return nil, fmt.Errorf("this kit holds no solution of %s; write own in place of solutions", folder)
			}
			own = true
		}
		choices = append(choices, choice{folder, own})
	}
	return choices, nil
}

// begun reports whether the Go files of a step, tests aside, are no longer those
// that were handed out.
func begun(kit, folder string) (bool, error) {
	stubs, err := txtar.ParseFile(filepath.Join(kit, "grader", "workspace", "pristine", folder+".txtar"))
	if err != nil {
		return false, err
	}
	handedOut := map[string]string{}
	for _, f := range stubs.Files {
		handedOut[f.Name] = string(f.Data)
	}
	files, err := goFiles(filepath.Join(kit, "steps", folder))
	if err != nil {
		return false, err
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		if stub, ok := handedOut[filepath.Base(path)]; !ok || stub != string(data) {
			return true, nil
		}
	}
	return false, nil
}

// goFiles returns the paths of the Go files in dir that are no tests.
func goFiles(dir string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.go") }), err
}

// overlay is the file for -overlay that lays the solutions over the steps that
// are not the student's own.
func overlay(kit string, choices []choice) ([]byte, error) {
	replace := map[string]string{}
	for _, c := range choices {
		if c.own {
			continue
		}
		step, solution := filepath.Join(kit, "steps", c.folder), filepath.Join(kit, "solutions", c.folder)
		for _, dir := range []string{step, solution} {
			files, err := goFiles(dir)
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				behind := "" // hidden
				if dir == solution {
					behind = file
				}
				replace[filepath.Join(step, filepath.Base(file))] = behind
			}
		}
	}
	return json.Marshal(map[string]any{"Replace": replace})
}

// module is the go.mod of the notebooks in dir, made to be used from elsewhere.
func module(dir string) ([]byte, error) {
	path := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(path, data, nil)
	if err != nil {
		return nil, err
	}
	notebooks, kit := mod.Module.Mod.Path, filepath.Dir(dir)
	for _, err := range []error{
		mod.AddRequire(notebooks, "v0.0.0"),
		mod.AddReplace(notebooks, "", dir, ""),
		mod.AddReplace(strings.TrimSuffix(notebooks, "/notebooks"), "", kit, ""),
		mod.AddModuleStmt("notebook"),
	} {
		if err != nil {
			return nil, err
		}
	}
	for _, tool := range mod.Tool {
		if err := mod.DropTool(tool.Path); err != nil {
			return nil, err
		}
	}
	mod.Cleanup()
	return mod.Format()
}

// unfinished names what the student's own steps still leave to be written.
func unfinished(kit string, choices []choice) ([]string, error) {
	todo := regexp.MustCompile(`panic\(tensor\.TODO\("(.*?)"\)\)`)
	var missing []string
	for _, c := range choices {
		if !c.own {
			continue
		}
		files, err := goFiles(filepath.Join(kit, "steps", c.folder))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, m := range todo.FindAllSubmatch(data, -1) {
				missing = append(missing, string(m[1]))
			}
		}
	}
	return missing, nil
}

// describe says in a sentence whose code it is.
func describe(choices []choice) string {
	var own []string
	for _, c := range choices {
		if c.own {
			step, _, _ := strings.Cut(c.folder, "_")
			own = append(own, step)
		}
	}
	switch len(own) {
	case 0:
		return "The cells run on the solutions."
	case len(choices):
		return "The cells run on your own steps."
	}
	return "The cells run on your own " + strings.Join(own, ", ") + " and on the solutions of the other steps."
}
