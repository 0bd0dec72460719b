// Command learn is what a student does with the steps: grade them, ask for hints, see how
// far one is. `go run ./cmd/grade` compiles and runs it.
package main

import "github.com/stubformer/stubformer/cmd/learn/steps"

func main() { steps.Main(nil) }
