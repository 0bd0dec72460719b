package writer

import (
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	kvcache "github.com/stubformer/stubformer/steps/step12_kvcache"
)

// NewBatch returns a cache of step 12, of so many rows for the model's whole context. It
// panics with a tensor.NotImplemented if it is not written. An edition without that step
// has another cache.go.
func NewBatch(m *lm.LM, rows int) Cache { return kvcache.New(m, rows, m.Config.ContextLength) }
