package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

const largest = 400_000 // bytes of a notebook, so that it opens at once in a browser

// notebook is what an .ipynb file holds, as far as it is checked. Format:
// https://nbformat.readthedocs.io, version 4.5.
type notebook struct {
	Cells []cell `json:"cells"`

	raw []byte
}

type cell struct {
	Type    string   `json:"cell_type"`
	Source  text     `json:"source"`
	Count   *int     `json:"execution_count"`
	Outputs []output `json:"outputs"`
}

type output struct {
	Type string          `json:"output_type"`
	Name string          `json:"name"` // of a stream
	Text text            `json:"text"` // of a stream
	Data map[string]text `json:"data"` // by MIME type
	Err  string          `json:"evalue"`
}

// text is a string that may be stored as a list of lines.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = text(one)
		return nil
	}
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		return err
	}
	*t = text(strings.Join(lines, ""))
	return nil
}

func read(path string) (*notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := &notebook{raw: data}
	if err := json.Unmarshal(data, n); err != nil {
		return nil, fmt.Errorf("%s is not a notebook: %v", path, err)
	}
	return n, nil
}

// failures says what went wrong when the notebook was executed.
func (n *notebook) failures() []string {
	var out []string
	for i, c := range n.Cells {
		for _, o := range c.Outputs {
			if o.Type == "error" {
				out = append(out, fmt.Sprintf("cell %d ended in an error: %s", i, o.Err))
			}
			if o.Name == "stderr" {
				out = append(out, fmt.Sprintf("cell %d wrote to its standard error: %s", i, o.Text))
			}
		}
	}
	return out
}

// differences says where an executed copy is not what the kept notebook shows.
func (n *notebook) differences(executed *notebook) []string {
	if len(n.Cells) != len(executed.Cells) {
		return []string{fmt.Sprintf("%d cells are kept and %d were executed", len(n.Cells), len(executed.Cells))}
	}
	var out []string
	for i, c := range n.Cells {
		e := executed.Cells[i]
		if c.Type != e.Type || c.Source != e.Source {
			out = append(out, fmt.Sprintf("cell %d is not the one that was executed", i))
		} else if kept, fresh := c.kinds(), e.kinds(); kept != fresh {
			out = append(out, fmt.Sprintf("cell %d shows %s and now gives %s; run notebooks/run.sh --write", i, kept, fresh))
		}
	}
	return out
}

// kinds names what a cell shows. Text and pictures reach the notebook by two ways
// and may overtake each other, so their order says nothing.
func (c cell) kinds() string {
	var kinds []string
	for _, o := range c.Outputs {
		kind := o.Type
		if len(o.Data) > 0 {
			kind = strings.Join(slices.Sorted(maps.Keys(o.Data)), "+")
		}
		if o.Type != "stream" || !slices.Contains(kinds, kind) { // a stream may come in pieces
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return "nothing"
	}
	slices.Sort(kinds)
	return strings.Join(kinds, ", ")
}

// faults says what is wrong with a notebook that is to be kept.
func (n *notebook) faults() []string {
	var out []string
	if len(n.raw) > largest {
		out = append(out, fmt.Sprintf("has %d bytes; keep it below %d", len(n.raw), largest))
	}
	count, pictures := 0, 0
	for i, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		count++
		if c.Count == nil || *c.Count != count {
			out = append(out, fmt.Sprintf("cell %d was not executed in its turn; run notebooks/run.sh --write", i))
		}
		for _, o := range c.Outputs {
			if o.Data["image/png"] != "" {
				pictures++
			}
		}
	}
	if pictures == 0 {
		out = append(out, "shows no picture")
	}
	for _, number := range n.unproved() {
		out = append(out, fmt.Sprintf("the text says %s, which no cell prints", number))
	}
	return out
}

// unproved returns the decimal numbers of the prose that stand neither in a
// cell's code nor in what a cell printed.
func (n *notebook) unproved() []string {
	decimal := regexp.MustCompile(`\d+\.\d+`)
	known := map[string]bool{}
	for _, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		proof := string(c.Source)
		for _, o := range c.Outputs {
			proof += "\n" + string(o.Text)
		}
		for _, number := range decimal.FindAllString(proof, -1) {
			known[number] = true
		}
	}
	var out []string
	for _, c := range n.Cells {
		if c.Type != "markdown" {
			continue
		}
		for _, number := range decimal.FindAllString(string(c.Source), -1) {
			if !known[number] {
				out = append(out, number)
			}
		}
	}
	return out
}
