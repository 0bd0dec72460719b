package class

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/host/whole"
)

// Dir is a Store in a folder: one file a student.
type Dir string

// Load returns the stored result of a submission, or nil if there is none. A
// file that is damaged counts as none.
func (d Dir) Load(name string) (*Result, error) {
	data, err := os.ReadFile(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != Schema || r.Report == nil || r.Submission == nil {
		return nil, nil
	}
	return &r, nil
}

// Save stores a result.
func (d Dir) Save(r *Result) error {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return whole.Write(d.path(r.Name), append(data, '\n'))
}

// List returns the stored submissions as sources, in the order of their names.
func (d Dir) List() ([]Source, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	var list []Source
	for _, name := range names {
		list = append(list, Source{Name: name, Read: func(string) (*Submission, error) {
			r, err := d.Load(name)
			if err == nil && r == nil {
				err = fmt.Errorf("%s is damaged", d.path(name))
			}
			if err != nil {
				return nil, err
			}
			return r.Submission, nil
		}})
	}
	return list, nil
}

// Each calls f with every stored result, in the order of the names. One that is
// damaged counts as none.
func (d Dir) Each(f func(*Result) error) error {
	names, err := d.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		r, err := d.Load(name)
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// names returns the names under which results are stored, in order.
func (d Dir) names() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d Dir) path(name string) string { return filepath.Join(string(d), name+".json") }
