// Package roofline says how near to the limits of a core the parts of a training step are.
//
// An operation that makes f floating-point operations and must read or write b bytes takes
// at least max(f/peak, b/bandwidth): the first is the limit of arithmetic, the second that
// of memory. What it took, beside that, is what could still be gained.
//
// Source: Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance
// Model for Multicore Architectures", 2009.
package roofline

import (
	"fmt"
	"strings"
)

// Operation is a part of a training step, summed over the layers, forward and backward.
type Operation struct {
	Name        string  `json:"name"`
	Seconds     float64 `json:"seconds"`
	FLOPs       float64 `json:"flops,omitempty"` // of products alone
	Bytes       float64 `json:"bytes,omitempty"` // at least, if each number is read and written once
	Allocations float64 `json:"allocations"`
}

// Step is a training step on one core.
type Step struct {
	Model      string      `json:"model"`
	Machine    string      `json:"machine"`
	Tokens     int         `json:"tokens"`
	DModel     int         `json:"d_model"`
	Peak       float64     `json:"peak_flops"`      // of a core, a second; 0 if it cannot be measured
	Bandwidth  float64     `json:"bandwidth_bytes"` // of memory, to one core, a second
	Operations []Operation `json:"operations"`
}

// Limit is what an operation cannot be faster than.
type Limit string

const (
	Arithmetic Limit = "arithmetic"
	Memory     Limit = "memory"
)

// Limit returns the least seconds that an operation takes, and what sets them. They are 0
// where nothing is known.
func (s *Step) Limit(o Operation) (seconds float64, by Limit) {
	if s.Bandwidth > 0 {
		seconds, by = o.Bytes/s.Bandwidth, Memory
	}
	if s.Peak > 0 && o.FLOPs/s.Peak >= seconds {
		seconds, by = o.FLOPs/s.Peak, Arithmetic
	}
	return seconds, by
}

// Seconds is what the whole step takes.
func (s *Step) Seconds() float64 {
	sum := 0.0
	for _, o := range s.Operations {
		sum += o.Seconds
	}
	return sum
}

// FLOPs is what the products of the whole step make.
func (s *Step) FLOPs() float64 {
	sum := 0.0
	for _, o := range s.Operations {
		sum += o.FLOPs
	}
	return sum
}

// Table is a line for every operation: its time, its share of the step's, and how near it
// is to its limit. More than 100 % of memory means that the numbers lay in a cache.
func (s *Step) Table() string {
	var b strings.Builder
	whole := s.Seconds()
	fmt.Fprintf(&b, "A training step of %q on one core: %d tokens, d_model %d\n%s\n", s.Model, s.Tokens, s.DModel, s.Machine)
	fmt.Fprintf(&b, "peak %.0f GFLOP/s, memory %.1f GB/s\n\n", s.Peak/1e9, s.Bandwidth/1e9)
	fmt.Fprintf(&b, "%-24s %9s %6s %9s %8s %6s  %-10s %6s\n", "", "µs", "time", "GFLOP/s", "GB/s", "limit", "set by", "allocs")
	for _, o := range s.Operations {
		limit, by := s.Limit(o)
		fmt.Fprintf(&b, "%-24s %9.0f %5.1f%% %9s %8s %5.0f%%  %-10s %6.0f\n", o.Name, o.Seconds*1e6, 100*o.Seconds/whole,
			rate(o.FLOPs, o.Seconds), rate(o.Bytes, o.Seconds), 100*limit/o.Seconds, by, o.Allocations)
	}
	fmt.Fprintf(&b, "%-24s %9.0f        %9s\n", "the step", whole*1e6, rate(s.FLOPs(), whole))
	if s.Peak > 0 {
		fmt.Fprintf(&b, "The products of the step at the peak would take %.1f %% of its time.\n", 100*s.FLOPs()/s.Peak/whole)
	}
	return b.String()
}

// rate is an amount a second, in units of 10⁹.
func rate(amount, seconds float64) string {
	if amount == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", amount/seconds/1e9)
}
