// Package notebooks holds no code. Its go.mod pins the Go kernel for Jupyter and
// what the cells are built with; the imports here are those of the cells, so that
// the go command keeps the requirements for them.
package notebooks

import (
	_ "github.com/stubformer/stubformer/notebooks/figure"
	_ "github.com/stubformer/stubformer/reference/corpus"
	_ "github.com/stubformer/stubformer/reference/kernel"
	_ "github.com/stubformer/stubformer/steps/step10_lm"
	_ "github.com/stubformer/stubformer/steps/step11_training"
)
