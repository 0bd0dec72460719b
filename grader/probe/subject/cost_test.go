package subject

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/wire"
)

// The measuring of a call has ended when its answer is there: it never ends that of the next,
// and all processors are there again.
func TestMeasuringEnds(t *testing.T) {
	h := NewHost(Functions{"f": func(in Args) (wire.Values, error) {
		in.Calls(func() {})
		return wire.Values{"y": wire.Int(1)}, nil
	}})
	processors := runtime.GOMAXPROCS(0)
	for range 300 {
		m := h.Answer("f", wire.Values{measured: wire.Ints([]int64{0, 2}, 2)})
		require.Nil(t, h.costs)
		require.Equal(t, processors, runtime.GOMAXPROCS(0))
		require.Equal(t, wire.OK, m.Status)
		require.Len(t, m.Values[wire.Cost+"seconds"].F64, 2)
	}
}
