// Command compare measures the kit against other libraries on this machine; see
// bench/README.md. Run it from the root of the kit, or by bench/run.sh.
//
//	compare [-quick] [-out DIR] [SECTION...]
//
// Every section writes DIR/SECTION.json, and after each DIR/results.md is drawn
// from all of them that are there.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/bench"
)

func main() {
	quick := flag.Bool("quick", false, "fewer shapes and rounds: under two minutes")
	out := flag.String("out", filepath.Join("bench", "results"), "folder for the results")
	flag.Parse()
	if err := run(*quick, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// Result is what a section writes.
type Result struct {
	Machine string            `json:"machine"`
	Quick   bool              `json:"quick"`
	Peers   map[string]string `json:"peers"` // what each is
	Tables  []bench.Table     `json:"tables"`
	// Environment is what each peer was given, and Unset what steers numeric libraries
	// here and was kept from all of them, NAME=VALUE.
	Environment map[string][]string `json:"environment,omitempty"`
	Unset       []string            `json:"unset,omitempty"`
	Missing     []string            `json:"missing,omitempty"`
	Prints      string              `json:"prints,omitempty"` // by commands that are no peers
}

func run(quick bool, out string, names []string) error {
	if len(names) == 0 {
		for _, s := range sections {
			names = append(names, s.name)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return fmt.Errorf("there is no section %q; want some of %s", name, sectionNames())
		}
	}
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	k, err := build(tmp.Path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var failed []error
	for _, s := range sections {
		if !slices.Contains(names, s.name) {
			continue
		}
		// A section that fails, because a peer ended for instance, does not take the others with it.
		if err := k.measure(s, quick, out); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		if err := writeMarkdown(out); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// measure measures one section and writes its result into the folder.
func (k programs) measure(s section, quick bool, out string) error {
	r := Result{Machine: bench.Machine(), Quick: quick, Peers: map[string]string{}, Environment: map[string][]string{}, Unset: bench.Steered()}
	if err := k.section(s, quick, &r); err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, s.name+".json"), append(data, '\n'), 0o644)
}

func sectionNames() string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// writeMarkdown draws the tables of all sections in the folder.
func writeMarkdown(dir string) error {
	var b strings.Builder
	for _, s := range sections {
		data, err := os.ReadFile(filepath.Join(dir, s.name+".json"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var r Result
		if err := json.Unmarshal(data, &r); err != nil {
			return fmt.Errorf("%s.json: %w", s.name, err)
		}
		r.markdown(&b, s)
	}
	return os.WriteFile(filepath.Join(dir, "results.md"), []byte(b.String()), 0o644)
}
