//go:build unlisted

package bpe

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)
