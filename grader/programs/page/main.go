//go:build !js

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := converse(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// converse answers the requests on standard input.
func converse(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("the arguments are %q; want a description and parameters", args)
	}
	described, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	parameters, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	p, err := open(described, parameters)
	if err != nil {
		return err
	}
	answers := json.NewEncoder(os.Stdout)
	for d := json.NewDecoder(os.Stdin); ; {
		var r request
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(p.serve(r)); err != nil {
			return err
		}
	}
}
