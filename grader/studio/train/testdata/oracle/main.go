// Command oracle is a program that must not be: beside a step it holds the
// expected values.
package main

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/oracle"
	_ "github.com/stubformer/stubformer/steps/step01_init"
)

func main() { fmt.Println(oracle.Eval("gain", nil)) }
