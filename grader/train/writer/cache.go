package writer

import (
	"github.com/stubformer/stubformer/steps/step10_lm"
	"github.com/stubformer/stubformer/steps/step12_kvcache"
)

// newCache returns a cache of step 12, of one row for the model's whole context. An
// edition without that step has another cache.go.
func newCache(m *lm.LM) Cache { return kvcache.New(m, 1, m.Config.ContextLength) }
