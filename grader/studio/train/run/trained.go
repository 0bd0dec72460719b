package run

import (
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// Whose code a model can be made from: all steps of it are the student's, or all are
// the solutions. Both have trained a model that went on with others than it began with.
const (
	Mine      = "mine"
	Solutions = "solutions"
	Both      = "both"
)

// Stretch says whose code trained a model from an update on: a run can go on with
// other code than it was begun with.
type Stretch struct {
	From   int    `json:"from"`   // the last update before
	Impl   string `json:"impl"`   // Mine or Solutions
	Kit    string `json:"kit"`    // version of the kit
	Kernel string `json:"kernel"` // level of instructions that the kit's kernels used, as kernel.Micro names it
}

// CodeOf says whose code an Impl is.
func CodeOf(impl string) lang.Text {
	if impl == Solutions {
		return lang.T("the solutions")
	}
	return lang.T("your own code")
}

// Impl says whose code has trained the model: Mine, Solutions, Both, or "" where nobody has
// written that down: of a model that came from elsewhere, and of a run of an older kit.
func (c Config) Impl() string {
	impl := ""
	for _, s := range c.Trained {
		if impl = s.Impl; impl != c.Trained[0].Impl {
			return Both
		}
	}
	return impl
}

// Trainer says it in words; it is empty where that is not known.
func (c Config) Trainer() lang.Text {
	switch c.Impl() {
	case "":
		return lang.Text{}
	case Both:
		return lang.T("your own code and the solutions")
	}
	return CodeOf(c.Impl())
}

// TrainWith writes down in a run's folder what it is trained with from here on. A stretch
// that made no update is forgotten.
func TrainWith(dir string, s Stretch) error {
	c, err := Open(dir)
	if err != nil {
		return err
	}
	steps, err := ReadLog(dir)
	if err != nil {
		return err
	}
	if len(steps) > 0 {
		s.From = steps[len(steps)-1].Step
	}
	c.Trained = slices.DeleteFunc(c.Trained, func(old Stretch) bool { return old.From >= s.From })
	if n := len(c.Trained); n > 0 && (Stretch{c.Trained[n-1].From, s.Impl, s.Kit, s.Kernel}) == c.Trained[n-1] {
		return nil
	}
	c.Trained = append(c.Trained, s)
	return c.Write(dir)
}
