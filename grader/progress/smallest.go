package progress

import (
	"github.com/stubformer/stubformer/grader/probe/kept"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/reference/wire"
)

// KeepSmallest keeps, below the root of the kit, the first small call that the report tells of
// each step, for the step's own test. Where it tells none, none is kept any more.
func KeepSmallest(root string, r *report.Report) error {
	for _, s := range r.Steps {
		var call *kept.Call
		if small := s.Smallest(); small != nil {
			call = &kept.Call{Function: small.Function, In: small.Input, Want: wire.Values{small.Output: small.Want}, Told: small.Text().String()}
		}
		if err := kept.Write(root, s.ID, call); err != nil {
			return err
		}
	}
	return nil
}
