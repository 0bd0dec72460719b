package course

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// truth returns the oracle's float64 answer. A student edition has another
// truth.go, in which the error is ErrKeptBack.
func truth(function string, in wire.Values) (wire.Values, error) {
	want, err := oracle.Eval(function, in)
	if err != nil {
		return nil, fmt.Errorf("the oracle cannot evaluate %s: %w", function, err)
	}
	return want, nil
}
