package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	lora "github.com/stubformer/stubformer/steps/step17_lora"
)

// published are the names that layers have in a file, where these are other than their
// fields'.
var published = map[string]string{"QKV": "qkv_proj", "Output": "output_proj", "Head": "lm_head"}

// adapted returns the layers of a model that can have an adapter: all Linears of its blocks
// and the head. There are none where step 17 does not stand in the model.
func adapted(m *lm.LM) map[string]*lora.Linear {
	layers := map[string]*lora.Linear{}
	collect := func(prefix string, part any) {
		v := reflect.Indirect(reflect.ValueOf(part))
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if l, ok := v.Field(i).Interface().(*lora.Linear); ok && l != nil {
				name := published[field.Name]
				if name == "" {
					name = strings.ToLower(field.Name)
				}
				layers[prefix+name] = l
			}
		}
	}
	for l, b := range m.Blocks {
		collect(fmt.Sprintf("layers.%d.attn.", l), b.Attn)
		collect(fmt.Sprintf("layers.%d.ffn.", l), b.FFN)
	}
	collect("", m)
	return layers
}

// answer writes what is asked for until nothing is asked any more. An adapter stays in the
// model until another one is named.
func (p program) answer(m *lm.LM) error {
	s := &swapper{layers: adapted(m)}
	return talk.Serve(p.Line, func(a run.Ask) (any, error) { return s.write(m, a) })
}

// swapper puts one adapter into a model after the other.
type swapper struct {
	layers map[string]*lora.Linear
	file   string // of the adapter that is in the model; "" for none
	merged bool
}

// write returns the tokens that follow a prompt, the stop token with them.
func (s *swapper) write(m *lm.LM, a run.Ask) ([]int, error) {
	if err := s.swap(a.Adapter, a.Merged); err != nil {
		return nil, err
	}
	w := writer.New(m, a.Prompt, lm.Sampling{Temperature: a.Temperature, TopP: a.TopP, Stop: a.Stop},
		rand.New(rand.NewPCG(a.Seed, 0)))
	ids := []int{}
	for range a.Tokens {
		next, err := w.Next()
		if err != nil {
			return nil, err
		}
		if ids = append(ids, next); next == a.Stop {
			break
		}
	}
	return ids, nil
}

// swap lets the model have the adapter of a file, merged or beside its weights.
func (s *swapper) swap(file string, merged bool) error {
	if file == s.file && merged == s.merged {
		return nil
	}
	state := s.none()
	if file != "" {
		var err error
		if state, err = weights.Read(file); err != nil {
			return err
		}
	}
	if err := lora.Load(s.layers, state); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if merged {
		for _, l := range s.layers {
			l.Merge()
		}
	}
	s.file, s.merged = file, merged
	return nil
}

// none is an adapter that adds nothing.
func (s *swapper) none() map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{}
	for name, l := range s.layers {
		out, in := l.Weight.Value.Dim(0), l.Weight.Value.Dim(1)
		state[name+".lora_A"], state[name+".lora_B"] = tensor.New(1, in), tensor.New(out, 1)
		state[name+".alpha"] = tensor.From([]float32{1}, 1)
	}
	return state
}
