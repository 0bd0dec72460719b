package rules

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
)

func TestList(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	for _, f := range []string{"rmsnorm.backward", "silu.backward", "swiglu.backward", "softmax.backward", "logsumexp", "cross_entropy.backward", "attention.backward", "multihead.backward", "block.backward", "linear.backward", "rope.backward"} {
		all, err := Of(f, set.Cases(f)[0].In)
		require.NoError(t, err)
		fit := 0
		for _, r := range all {
			if _, err := r.Eval(f, set.Cases(f)[0].In); err == nil {
				fit++
				if testing.Verbose() && f == "rmsnorm.backward" {
					fmt.Println(r.ID, r.Sentence)
				}
			}
		}
		t.Log(f, len(all), fit)
	}
}
