package explore

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"

	"github.com/stubformer/stubformer/grader/studio/train/inside"
)

// worker is the script that runs the model beside a published page.
const worker = "worker.js"

// Publication is a model that a page holds whole: its code and its parameters.
type Publication struct {
	Model       Description  `json:"model"`
	Given       inside.Model `json:"given"`
	By          string       `json:"by"`          // whose model it is; "": nobody has said
	Loss        *float64     `json:"loss"`        // on the validation text; nil: not known
	Floor       *float64     `json:"floor"`       // that no model can stay below; nil: not known
	Temperature float64      `json:"temperature"` // to begin with

	Runtime    string `json:"runtime"` // the script of Go that runs the program
	Worker     string `json:"worker"`
	Program    Packed `json:"program"`    // WebAssembly
	Parameters Packed `json:"parameters"` // .safetensors
}

// Packed are bytes that stand in a page: gzip in base64.
type Packed []byte

// MarshalText packs the bytes.
func (p Packed) MarshalText() ([]byte, error) {
	var b bytes.Buffer
	text := base64.NewEncoder(base64.StdEncoding, &b)
	pack, err := gzip.NewWriterLevel(text, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := pack.Write(p); err != nil {
		return nil, err
	}
	err = errors.Join(pack.Close(), text.Close())
	return b.Bytes(), err
}

// Publish returns a page on which the model runs, and which needs nothing else.
func Publish(p Publication, language string) ([]byte, error) {
	var err error
	if p.Worker, err = read(worker); err != nil {
		return nil, err
	}
	data, err := json.Marshal(p) // escapes <, > and &
	if err != nil {
		return nil, err
	}
	return alone(filling{Lang: language, Published: template.JS(data)}, publishedPolicy)
}
