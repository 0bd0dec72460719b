//go:build !stubformer_probe

package subject

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/wire"
)

// A function that copies a file is told apart by what it does with errors, for files that
// fail anywhere, in both ways, on the side of the reader and on that of the writer.
func TestFilesFail(t *testing.T) {
	copies := func(treat func(error) error) *Host {
		return NewHost(Functions{"copy": func(in Args) (wire.Values, error) {
			var b bytes.Buffer
			_, err := io.Copy(in.Writer("to", &b), in.Reader("from"))
			err = treat(err)
			if out, ok := in.Broke(err); ok {
				return out, nil
			}
			return wire.Values{"to": wire.Int(b.Len())}, err
		}})
	}
	in := wire.Values{"from": wire.Ints([]int64{7, 8, 9}, 3)}
	asked := func(name, way string, ends int) wire.Values {
		out := in.Clone()
		out[file], out[fileWay] = wire.String(name), wire.String(way)
		if ends >= 0 {
			out[fileEnds] = wire.Int(ends)
		}
		return out
	}
	same := copies(func(err error) error { return err })
	for _, way := range []string{inSingleBytes, withEOF} {
		require.Equal(t, int64(3), same.Answer("copy", asked("from", way, -1)).Values["to"].I64[0], way)
	}
	for want, h := range []*Host{copies(func(error) error { return nil }), same,
		copies(func(err error) error { return fmt.Errorf("another: %v", err) })} {
		for _, way := range []string{fails, unexpected} {
			for _, name := range []string{"from", "to"} {
				for ends := range 3 {
					m := h.Answer("copy", asked(name, way, ends))
					require.Equal(t, wire.OK, m.Status)
					require.Equal(t, int64(want), m.Values["came"].I64[0], "%s %s %d", name, way, ends)
				}
			}
		}
	}
}
