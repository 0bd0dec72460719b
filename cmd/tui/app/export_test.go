package app

import (
	"reflect"

	"github.com/charmbracelet/bubbles/key"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/report"
)

// What tests look at.
func (m *Model) Grading() *engine.Grading { return m.grading }
func (m *Model) Run() *engine.Training    { return m.run }
func (m *Model) Watch() *engine.Watch     { return m.watch }
func (m *Model) Steps() []*course.Step    { return m.steps }
func (m *Model) Queue() int               { return len(m.queue) }
func (m *Model) News() string             { return m.news }

// Bindings are the keys of all pages.
func (m *Model) Bindings() []key.Binding {
	var all []key.Binding
	for _, keys := range []any{m.keys, m.courses.Keys, m.step.Keys, m.train.Keys, m.plots.Keys, m.card.Keys, m.write.Keys} {
		v := reflect.ValueOf(keys)
		for i := range v.NumField() {
			all = append(all, v.Field(i).Interface().(key.Binding))
		}
	}
	return all
}

// Writer is the program that writes with a model.
func (m *Model) Writer() *engine.Writer { return m.writer }

// Report is the report of this session that is shown of a step, or nil.
func (m *Model) Report(step string) *report.Step { return m.course.Find(step).Report }
