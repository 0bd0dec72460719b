package trial

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// Result is how a milestone went.
type Result struct {
	Name            string      `json:"name"`
	Time            time.Time   `json:"time"`
	Steps           int         `json:"steps"`   // updates
	Planned         int         `json:"planned"` // fewer were made if it took too long
	Seconds         float64     `json:"seconds"`
	Loss            float64     `json:"loss"` // on the text that was kept back, in nats per character
	TokensPerSecond float64     `json:"tokens_per_second"`
	Sample          string      `json:"sample"` // what it writes
	Curve           []run.Step  `json:"curve"`  // what was measured on the way
	Doubts          []run.Doubt `json:"doubts,omitempty"`
}

// How far a loss may be from that of sound steps: rounding alone, which differs
// from machine to machine, leads a training elsewhere.
const (
	above = 1.15
	below = 0.9 // of the floor: one text has a little more or less than the mean
)

// Wrong says what is wrong with a result of a milestone, if anything is.
func (r Result) Wrong(m milestone.Milestone) []lang.Text {
	var said []lang.Text
	for _, d := range r.Doubts {
		said = append(said, doubt(d))
	}
	switch floor := Floor(m); {
	case r.Loss < below*floor:
		said = append(said, lang.T("The loss is %.4f, and no model of this kind can stay below %.4f: it sees what it should foretell. Look at the causal mask, and at what is added to what.", r.Loss, floor))
	case r.Steps < r.Planned: // it may still come
	case r.Loss > above*m.Loss:
		said = append(said, lang.T("The loss is %.4f; with sound steps it is %.4f.", r.Loss, m.Loss))
	}
	return said
}

// doubt says what does not fit together, a sentence for each kind.
func doubt(d run.Doubt) lang.Text {
	when := lang.T("before the first update")
	if d.Step > 0 {
		when = lang.T("after update %d", d.Step)
	}
	if d.Kind == run.WrongLoss {
		return lang.T("Your cross-entropy says %.5g %s; of these logits it is %.5g.", d.Got, when, d.Want)
	}
	return lang.T("The gradient of %s says %s that the loss changes by %.4g for each unit of a small move; it changes by %.4g.", d.Name, when, d.Got, d.Want)
}

// Save keeps a result of a milestone in place of the last one.
func (r Result) Save(root string, m milestone.Milestone) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	path := m.Path(root)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return whole.Write(path, append(data, '\n'))
}

// Kept returns the results of a kit by the names of their milestones. One that
// cannot be read does not count: it can be made again.
func Kept(root string) (map[string]Result, error) {
	kept := map[string]Result{}
	for _, m := range milestone.All() {
		data, err := os.ReadFile(m.Path(root))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var r Result
		if json.Unmarshal(data, &r) == nil && r.Name == m.Name {
			kept[m.Name] = r
		}
	}
	return kept, nil
}
