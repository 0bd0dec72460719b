// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package training_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step11_training"
)

func TestStep11(t *testing.T) { subject.Test(t, "step11", functions) }

var functions = subject.Functions{
	"matmul":         func(in subject.Args) (wire.Values, error) { return multiply(in, MatMul) },
	"matmul.naive":   func(in subject.Args) (wire.Values, error) { return multiply(in, Naive) },
	"matmul.strided": multiplyStrided,
	"matmul.short":   multiplyShort,
	"matmul.procs":   multiplyOnProcs,
	"matmul.model":   multiplyUnderModel,
	"matmul.speed":   raceNaive,
	"micro.size": func(subject.Args) (wire.Values, error) {
		return wire.Values{"rows": wire.Int(TileRows), "cols": wire.Int(TileCols)}, nil
	},
	"micro.tile":  microTile,
	"micro.speed": raceTile,

	"adamw.run": runAdamW,
	"schedule": func(in subject.Args) (wire.Values, error) {
		t := in.Ints("t")
		lr := make([]float64, len(t))
		for i := range t {
			lr[i] = CosineSchedule(t[i], in.Float("lr_max"), in.Float("lr_min"), in.Int("warmup"), in.Int("cosine_end"))
		}
		return wire.Values{"lr": wire.Floats(lr, len(lr))}, nil
	},
	"clip": func(in subject.Args) (wire.Values, error) {
		var params []*tensor.Param
		for _, name := range []string{"g1", "g2", "g3"} {
			g := in.Tensor(name).Clone()
			params = append(params, &tensor.Param{Name: name, Value: tensor.New(g.Shape...), Grad: g})
		}
		norm := ClipGradNorm(params, in.Float("max_norm"))
		out := wire.Values{"norm": wire.Float(norm)}
		for _, p := range params {
			out[p.Name] = wire.Tensor(p.Grad)
		}
		return out, nil
	},

	"tokens.write": writeTokens,
	"tokens.open":  openTokens,
	"batch.draw":   drawBatches,

	"checkpoint.roundtrip": roundTrip,
	"checkpoint.load":      loadContent,
	"checkpoint.damaged":   loadDamaged,
	"checkpoint.replace":   replaceCheckpoint,

	"train.trajectory": func(in subject.Args) (wire.Values, error) { return trajectory(in, 2, nil) },
	"train.shards": func(in subject.Args) (wire.Values, error) {
		return trajectory(in, in.Int("shards"), in.Ints("rows"))
	},
	"train.run":       trainAndReport,
	"train.restore":   restore,
	"train.overfit":   overfit,
	"train.bad_batch": badBatch,
	"train.steady":    steady,
}

// runAdamW makes one step for each row of grads.
func runAdamW(in subject.Args) (wire.Values, error) {
	p := tensor.NewParam("p", in.Tensor("p").Clone())
	o := NewAdamW([]*tensor.Param{p}, in.Float("beta1"), in.Float("beta2"), in.Float("eps"), in.Float("weight_decay"))
	grads := in.Tensor("grads")
	params, after := tensor.New(grads.Shape...), tensor.New(grads.Shape...)
	for s := range grads.Rows() {
		copy(p.Grad.Data, grads.Row(s))
		o.Step(in.Float("lr"))
		copy(params.Row(s), p.Value.Data)
		copy(after.Row(s), p.Grad.Data)
	}
	return wire.Values{"params": wire.Tensor(params), "gradients": wire.Tensor(after), "m": wire.Tensor(o.M[0]),
		"v": wire.Tensor(o.V[0])}, nil
}
