// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package kvcache_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step12_kvcache"
)

func TestStep12(t *testing.T) { subject.Test(t, "step12", functions) }

var functions = subject.Functions{
	"kvcache.mask": func(in subject.Args) (wire.Values, error) {
		past, n := in.Int("past"), in.Int("n")
		mask := Mask(past, n)
		in.NewBools("mask", mask.Attend, Mask(past, n).Attend)
		return wire.Values{"mask": wire.Bools(mask.Attend, mask.N, mask.M)}, nil
	},
	"kvcache.forward": readAll,
	"kvcache.rows":    readAll,
	"kvcache.last": func(in subject.Args) (wire.Values, error) {
		r, err := read(in)
		if err != nil {
			return nil, err
		}
		out, err := r.lasts(in)
		return wire.Values{"logits": wire.Tensor(out)}, err
	},
	"kvcache.truncate": func(in subject.Args) (wire.Values, error) {
		r, err := read(in)
		if err != nil {
			return nil, err
		}
		if _, err := r.cache.Forward(r.ids); err != nil {
			return nil, err
		}
		for row, n := range in.Ints("keep") {
			r.cache.Truncate(row, n)
		}
		lengths := r.lengths()
		more := in.IDs("more")
		logits, err := r.cache.Forward(more)
		if err != nil {
			return nil, err
		}
		return wire.Values{"logits": wire.Float32s(logits.Data, len(more), len(more[0]), logits.Dim(-1)),
			"lengths": lengths}, nil
	},
	"kvcache.pair": func(in subject.Args) (wire.Values, error) {
		one, err := read(in)
		if err != nil {
			return nil, err
		}
		two := newReader(in, one.model, "other_ids", "other_calls", "other_max_len")
		for c := range one.calls {
			if _, err := one.model.Forward([][]int{two.ids[0][:1]}); err != nil {
				return nil, err
			}
			if err := one.forward(c); err != nil {
				return nil, err
			}
			if err := two.forward(c); err != nil {
				return nil, err
			}
		}
		return wire.Values{"logits": wire.Tensor(one.logits), "other_logits": wire.Tensor(two.logits)}, nil
	},
	"kvcache.once": func(in subject.Args) (wire.Values, error) {
		r, err := read(in)
		if err != nil {
			return nil, err
		}
		for c := range r.calls {
			if c == 1 {
				copy(r.model.Embedding.Weight.Value.Data, in.Tensor("later").Data)
			}
			if err := r.forward(c); err != nil {
				return nil, err
			}
		}
		return wire.Values{"logits": wire.Tensor(r.logits)}, nil
	},
	"kvcache.time": func(in subject.Args) (wire.Values, error) {
		r, err := read(in)
		if err != nil {
			return nil, err
		}
		out, own, whole, err := r.spent()
		if err != nil {
			return nil, err
		}
		return wire.Values{"logits": wire.Tensor(out), "own": wire.Float(own.Seconds()),
			"whole": wire.Float(whole.Seconds())}, nil
	},
	"kvcache.bytes": func(in subject.Args) (wire.Values, error) {
		m, err := fresh(config(in))
		if err != nil {
			return nil, err
		}
		return wire.Values{"bytes": wire.Int(New(m, in.Int("batch"), in.Int("max_len")).Bytes())}, nil
	},
	"kvcache.flops": func(in subject.Args) (wire.Values, error) {
		cfg, past, n := config(in), in.Int("past"), in.Int("n")
		return wire.Values{"with": wire.Int(FLOPs(cfg, past, n)), "without": wire.Int(FLOPsWithout(cfg, past, n))}, nil
	},
}

// readAll reads the rows in their calls.
func readAll(in subject.Args) (wire.Values, error) {
	m, load, err := model(in)
	if err != nil {
		return nil, err
	}
	r := newReader(in, m, "ids", "calls", "max_len")
	if err := load(); err != nil { // the cache knows the parameters only if it shares them
		return nil, err
	}
	for c := range r.calls {
		if c == 1 {
			if err := r.refused(in); err != nil {
				return nil, err
			}
		}
		if err := r.forward(c); err != nil {
			return nil, err
		}
	}
	return wire.Values{"logits": wire.Tensor(r.logits), "lengths": r.lengths()}, nil
}
