// Package scaling says what more cores would make of a training step.
//
// The step is taken apart. Each part takes a seconds that cannot be divided and b that
// can, on c cores a + b/c, and both follow from what it takes on one core and on all
// cores of this machine. The shards of the batch go to the cores whole; where there are
// more cores than shards, those that are left divide the shards' products.
//
// Source: Amdahl, "Validity of the Single Processor Approach to Achieving Large Scale
// Computing Capabilities", 1967.
package scaling

import (
	"fmt"
	"strings"
)

// Part is what a part of the step takes, in seconds: on one core, and on all of the machine.
type Part struct {
	One float64 `json:"one_core"`
	All float64 `json:"all_cores"`
}

// Step is a training step in its parts.
type Step struct {
	Model     string `json:"model"`
	Machine   string `json:"machine"`
	Cores     int    `json:"cores"` // of this machine
	Sequences int    `json:"sequences"`
	Tokens    int    `json:"tokens"`
	Shards    int    `json:"shards"`

	Layers   float64 `json:"layers"`   // a shard's forward and backward pass, beside its products
	Products Part    `json:"products"` // of a shard
	Sums     Part    `json:"sums"`     // of the shards' gradients
	Clipping Part    `json:"clipping"`
	AdamW    Part    `json:"adamw"`
	Waking   float64 `json:"waking"` // a goroutine on every other core, until all have answered

	Measured map[int]float64 `json:"measured"` // seconds of a whole step, by the number of cores
}

// on returns what a part takes on c cores. A part that was no faster on all cores of this
// machine is not divided on others.
func (s *Step) on(p Part, c int) float64 {
	if s.Cores < 2 || p.All >= p.One {
		return p.One
	}
	divided := min(p.One, (p.One-p.All)/(1-1/float64(s.Cores)))
	return p.One - divided + divided/float64(c)
}

// Seconds returns what a step takes on so many cores.
func (s *Step) Seconds(cores int) float64 {
	atATime := min(s.Shards, cores)
	rounds := (s.Shards + atATime - 1) / atATime
	pass := float64(rounds) * (s.Layers + s.on(s.Products, cores/atATime))
	if cores > 1 {
		pass += s.Waking
	}
	return pass + s.on(s.Sums, cores) + s.on(s.Clipping, cores) + s.on(s.AdamW, cores)
}

// Table says what each part takes, and what a step takes on 1 to 32 cores, beside what
// was measured.
func (s *Step) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A training step of %q: %d sequences in %d shards, %d tokens\n%s\n\n", s.Model, s.Sequences, s.Shards, s.Tokens, s.Machine)
	fmt.Fprintf(&b, "%-32s %12s %12s\n", "ms", "on one core", fmt.Sprintf("on %d", s.Cores))
	row := func(name string, p Part) { fmt.Fprintf(&b, "%-32s %12.3f %12.3f\n", name, 1e3*p.One, 1e3*p.All) }
	fmt.Fprintf(&b, "%-32s %12.3f\n", "a shard, but for its products", 1e3*s.Layers)
	row("a shard's products", s.Products)
	row("the sums of the gradients", s.Sums)
	row("clipping", s.Clipping)
	row("AdamW", s.AdamW)
	fmt.Fprintf(&b, "%-32s %12s %12.3f\n\n", "waking the other cores", "", 1e3*s.Waking)
	fmt.Fprintf(&b, "%5s %12s %10s %10s %12s\n", "cores", "a step, ms", "tokens/s", "speedup", "measured, ms")
	for cores := 1; cores <= 32; cores *= 2 {
		seconds, measured := s.Seconds(cores), ""
		if m := s.Measured[cores]; m > 0 {
			measured = fmt.Sprintf("%.2f", 1e3*m)
		}
		fmt.Fprintf(&b, "%5d %12.2f %10.0f %10.2f %12s\n", cores, 1e3*seconds, float64(s.Tokens)/seconds, s.Seconds(1)/seconds, measured)
	}
	return b.String()
}
