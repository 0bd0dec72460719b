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
		if m.Detail == "" { // no line of the student's threw it: it was returned
			f.Kind = TurnedDown
		}
		if m.Also != nil { // it was to be as if it had never been
			return &Failure{Kind: InputChanged, Message: changed(*m.Also), Refusal: f, Diagnosis: f.Diagnosis}
		}
	case wire.Changed:
		f.Kind, f.Message, f.What, f.Detail = InputChanged, changed(m), "", ""
	case wire.Broken:
		f.Kind, f.Message, f.What, f.Detail = WrongValues, broken(m), "", ""
	case wire.Panic:
		if m.What != "" { // a result that is missing
			f.Kind, f.Message, f.What = WrongShape, lang.T("the call returned nil for %s", m.What), ""
			return f
		}
		f.Kind = Panic
		f.Message = lang.Raw("panic: " + m.Message)
		if m.Also != nil {
			f.Message = lang.Lines(f.Message, changed(*m.Also))
		}
	case wire.BadRequest:
		f.Kind = Exited // a claim: what the grader asks is what `grade describe` says
		f.Message = lang.T("the program says that it was asked wrongly: %s", m.Message)
	default:
		f.Kind = Exited
		f.Message = lang.T("the program answered with the unknown status %s", m.Status)
	}
	return f
}

// changed says what a call changed that it must leave as it is.
func changed(m wire.Message) lang.Text {
	switch m.Detail {
	case wire.OfShape:
		return lang.T("The call changed the shape of %s, which it must leave as it is: %s. A part of x.Shape lies in the memory of x.Shape, and append to such a part writes there.", m.What, m.Message)
	case wire.OfEarlier:
		return lang.T("The call changed %s, which an earlier call has returned and which must stay as it is until the layer returns the next one; the first change is at %s.", m.What, m.Message)
	case wire.OfAnother:
		return lang.T("The call changed %s of another layer, first at %s. Each layer needs memory of its own.", m.What, m.Message)
	case wire.OfWeights:
		return lang.T("%s changed when the weights did, first at %s: it lies in their memory, and an earlier call has returned it. Copy the numbers.", m.What, m.Message)
	}
	return lang.T("The call changed %s, which it must leave as it is; the first change is at %s.", m.What, m.Message)
}

// broken says which rule of its contract a call broke.
func broken(m wire.Message) lang.Text {
	switch m.Detail {
	case wire.NotNew:
		return lang.T("%s must be new in every call, unless a dst is given; two calls returned the same memory.", m.What)
	case wire.NotDst:
		return lang.T("Where a dst is given, %s must be dst itself, with the shape of the result; the call returned another tensor.", m.What)
	case wire.NotReturned:
		return lang.T("The error must be returned; the call panicked with it: %s", m.Message)
	default:
		return lang.T("the call broke its contract: %s", m.Detail)
	}
}
