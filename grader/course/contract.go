package course

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/wire"
)

// Contract returns the functions of a step as its folder in fixtures/ declares
// them, in functions.txt:
//
//	swiglu.forward: y = W2(SiLU(W1 x) ⊙ W3 x)
//	  in  x: f32 (… D), the input
//	  in  w1: f32 (F D), weight of the branch that passes through SiLU
//	  out y: f32 (… D), the output
//
// It panics if that file, which is built into the program, is missing or says
// something else.
func Contract(folder string) []Function {
	text, err := fixtures.Functions(folder)
	if err == nil {
		var functions []Function
		if functions, err = parseContract(text); err == nil {
			return functions
		}
	}
	panic(fmt.Sprintf("the functions of %s: %v", folder, err))
}

var (
	functionLine = regexp.MustCompile(`^([a-z][\w.]*): (.+)$`)
	argLine      = regexp.MustCompile(`^  (in |out) ([^:]+): (f32|f64|i64|bool|text) \(([^)]*)\)(?:, (.+))?$`)
)

// parseContract reads the functions of a step.
func parseContract(text string) ([]Function, error) {
	var functions []Function
	for i, line := range strings.Split(text, "\n") {
		if line == "" {
			continue
		}
		if m := functionLine.FindStringSubmatch(line); m != nil {
			functions = append(functions, Function{Name: m[1], Formula: m[2]})
			continue
		}
		m := argLine.FindStringSubmatch(line)
		if m == nil || len(functions) == 0 {
			return nil, fmt.Errorf("line %d is %q; want “NAME: FORMULA”, or below it “  in  NAME: TYPE (SHAPE), about it”", i+1, line)
		}
		f, a := &functions[len(functions)-1], Arg{Name: m[2], DType: wire.DType(m[3]), Shape: m[4], About: m[5]}
		if m[1] == "out" {
			f.Out = append(f.Out, a)
		} else {
			f.In = append(f.In, a)
		}
	}
	return functions, nil
}
