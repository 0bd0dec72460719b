//edition:alone

package writer

import (
	"math"
	"reflect"

	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	windows "github.com/stubformer/stubformer/steps/step21_windows"
)

func init() {
	newRing = func(m *lm.LM) reader {
		if r := written(m); r != nil {
			return r
		}
		return nil
	}
}

// window is W of a Window of step 21 whose W nobody has set, as in a model that is trained
// --with window. It has no sinks.
const window = 32

// ring reads with the cache of step 21, whose memory does not grow.
type ring struct {
	model *lm.LM
	cache *windows.Cache
	room  int // tokens that a cache may read
	first int // of the text: where the cache begins
}

// written returns a ring for a model that sees through a window, or nil if it does not, or if
// the cache is not written or not right: if its logits of some tokens are not the model's.
func written(m *lm.LM) (r *ring) {
	if !seesThroughWindow(m) {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			r = nil
		}
	}()
	context := m.Config.ContextLength
	r = &ring{model: m, room: context}
	if reach := m.Config.NumLayers*(window-1) + 1; reach <= context {
		// What lies further back than the context changes nothing: the text may go on.
		r.room = 16 * context
	}
	if !r.agrees() {
		return nil
	}
	r.cache = nil
	return r
}

// seesThroughWindow reports whether all attention of a model is of the type Window, which
// stands there by --with window.
func seesThroughWindow(m *lm.LM) bool {
	for _, b := range m.Blocks {
		if reflect.TypeOf(b.Attn.Attention).Name() != "Window" {
			return false
		}
	}
	return len(m.Blocks) > 0
}

// agrees reports whether the cache has the model's logits at every token of a text that goes
// around the ring, if the context is so long.
func (r *ring) agrees() bool {
	text := make([]int, min(r.model.Config.ContextLength, 2*window+3))
	for i := range text {
		text[i] = i * i % r.model.Config.VocabSize
	}
	want, err := r.model.Forward([][]int{text})
	if err != nil {
		return false
	}
	want = want.Clone() // the cache reads with the model
	for i := range text {
		got, err := r.read(text[:i+1])
		if err != nil || !near(got, want.Row(i)) {
			return false
		}
	}
	return true
}

// near reports whether logits differ by no more than rounding.
func near(got, want []float32) bool {
	largest := 0.0
	for _, x := range want {
		largest = max(largest, math.Abs(float64(x)))
	}
	for i, x := range want {
		if !(math.Abs(float64(got[i]-x)) <= 1e-3*max(largest, 1)) {
			return false
		}
	}
	return true
}

// read returns the logits of the token after the text. A text for which there is no more room
// begins anew with as much as the model's context holds.
func (r *ring) read(text []int) ([]float32, error) {
	if r.cache == nil || len(text)-r.first > r.room {
		r.first = max(0, len(text)-r.model.Config.ContextLength)
		r.cache = windows.New(r.model, window, 0, r.room)
	}
	logits, err := r.cache.Forward(text[r.first+r.cache.Len():])
	if err != nil {
		return nil, err
	}
	tensor.CheckShape("the logits of Cache.Forward", logits, tensor.Any, r.model.Config.VocabSize)
	return logits.Row(logits.Dim(0) - 1), nil
}
