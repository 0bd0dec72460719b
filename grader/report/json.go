package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the report as indented JSON, with a newline at its end.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
