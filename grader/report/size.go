package report

import (
	"encoding/json"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// MaxSize is the largest report, as JSON in bytes: it fits into one message of
// a queue, and what one machine accepts another does too.
const MaxSize = 768 << 10

// Fit cuts the longest messages until the report is no larger than MaxSize.
func (r *Report) Fit() error {
	for limit := untrusted.MaxMessage; ; limit /= 2 {
		data, err := json.Marshal(r)
		if err != nil || len(data) <= MaxSize || limit == 0 {
			return err
		}
		for i := range r.Steps {
			s := &r.Steps[i]
			s.Message = untrusted.Text(s.Message, limit)
			for j := range s.Checks {
				c := &s.Checks[j]
				c.Message = untrusted.Text(c.Message, limit)
				c.Diagnosis.Text = lang.Raw(untrusted.Text(c.Diagnosis.Text.String(), limit))
			}
		}
	}
}
