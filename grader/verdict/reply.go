package verdict

import (
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// OfReply returns what a subject's reply means for the check that asked: nil if
// it holds results.
func OfReply(m wire.Message) *Failure {
	f := &Failure{Message: lang.Raw(m.Message), Detail: m.Detail, What: m.What, Diagnosis: Diagnosis{Kind: Unexplained}}
	switch m.Status {
	case wire.OK:
		return nil
	case wire.NotImplemented:
		f.Kind = NotImplemented
	case wire.Error, wire.ShapeError:
		f.Kind, f.Refused = Panic, true
	case wire.Changed:
		f.Kind, f.What, f.Detail = InputChanged, "", ""
		if m.Detail != "" {
			f.Message = lang.T("The call changed %s of another layer, first at %s. Each layer needs memory of its own.", m.What, m.Message)
			return f
		}
		f.Message = lang.T("The call changed %s, which it must leave as it is; the first change is at %s.", m.What, m.Message)
	case wire.Panic:
		if m.What != "" { // a result that is missing
			f.Kind, f.Message, f.What = WrongShape, lang.T("the call returned nil for %s", m.What), ""
			return f
		}
		f.Kind = Panic
		f.Message = lang.Raw("panic: " + m.Message)
	case wire.BadRequest:
		f.Kind = Exited // a claim: what the grader asks is what `grade describe` says
		f.Message = lang.T("the program says that it was asked wrongly: %s", m.Message)
	default:
		f.Kind = Exited
		f.Message = lang.T("the program answered with the unknown status %s", m.Status)
	}
	return f
}
