package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Ladder is how fast one matrix product gets, change by change, on one core.
type Ladder struct {
	Machine string   `json:"machine"`
	Size    int      `json:"size"`        // of the square matrices
	Peak    float64  `json:"peak_gflops"` // 0 if it cannot be measured
	Rungs   []Rung   `json:"rungs"`
	Missing []string `json:"missing,omitempty"` // rungs that are not there, and why
}

// Rung is one step of the ladder.
type Rung struct {
	Name   string  `json:"name"`
	GFLOPS float64 `json:"gflops"`
}

// micro names the rung that is the code of the steps.
const micro = "your archsimd micro-kernel"

// climb measures the ladder: which peer answers which question.
type climb struct {
	kit    *workspace.Kit
	source workspace.Source
	dir    string // for what is built
	ladder Ladder
	peers  []*Peer
}

// MeasureLadder measures square products of the given size, a multiple of 64, in
// so many rounds. Source says whose step 11 is measured; progress is told what
// is being done.
func MeasureLadder(ctx context.Context, kit *workspace.Kit, source workspace.Source, size, rounds int, progress func(string)) (ladder Ladder, err error) {
	tmp, err := scratch.New()
	if err != nil {
		return ladder, err
	}
	defer tmp.Remove()
	c := climb{kit: kit, source: source, dir: tmp.Path, ladder: Ladder{Machine: Machine(), Size: size}}
	defer func() {
		for _, p := range c.peers {
			err = errors.Join(err, p.Close())
		}
	}()
	progress("building what is measured")
	if err := c.start(ctx); err != nil {
		return ladder, err
	}
	return c.measure(size, rounds, progress)
}

// start starts the peers.
func (c *climb) start(ctx context.Context) error {
	worker, err := c.build(ctx, "worker", nil)
	if err != nil {
		return err
	}
	one := []string{"GOMAXPROCS=1"}
	if err := c.also("kit", one, worker); err != nil {
		return err
	}
	if own, err := c.build(ctx, "own", []string{"GOEXPERIMENT=simd"}); err != nil {
		c.missing(micro, err)
	} else if err := c.also(micro, append(one, "GODEBUG=asyncpreemptoff=1"), own); err != nil {
		return err
	}
	blas := filepath.Join(c.dir, "openblas")
	cc := exec.CommandContext(ctx, "cc", "-O2", "-o", blas, filepath.Join(c.kit.Root, "bench", "openblas.c"), "-lopenblas")
	if err := cc.Run(); err != nil {
		c.missing("OpenBLAS", errors.New("it needs a C compiler and OpenBLAS (on Debian: apt-get install gcc libopenblas-dev)"))
		return nil
	}
	return c.also("OpenBLAS", []string{"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"}, blas)
}

// also starts one more peer.
func (c *climb) also(name string, env []string, command string) error {
	p, err := Start(name, env, command)
	if err == nil {
		c.peers = append(c.peers, p)
	}
	return err
}

func (c *climb) missing(name string, why error) {
	line, _, _ := strings.Cut(why.Error(), "\n")
	c.ladder.Missing = append(c.ladder.Missing, name+": "+line)
}

// build builds the worker with additional environment variables for the build.
func (c *climb) build(ctx context.Context, name string, env []string) (string, error) {
	folders, err := c.kit.Folders()
	if err != nil {
		return "", err
	}
	sources := map[string]workspace.Source{}
	for _, f := range folders {
		sources[f] = c.source
	}
	dir := filepath.Join(c.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	return c.kit.Build(ctx, workspace.Build{Course: registry.Steps(), Step: "step11_training", Package: "grader/programs/bench", Sources: sources, Env: env}, dir)
}

// measure asks each rung of its peer, in turns.
func (c *climb) measure(size, rounds int, progress func(string)) (Ladder, error) {
	const slice = "0.05" // seconds
	gemm := func(impl string) string {
		return fmt.Sprintf("gemm %s 0 0 %d %d %d 0 %s", impl, size, size, size, slice)
	}
	type rung struct{ name, peer, question string }
	rungs := []rung{
		{"naive", "kit", gemm("rung-naive")}, {"loops reordered", "kit", gemm("rung-reordered")},
		{"blocked", "kit", gemm("rung-blocked")}, {"packed", "kit", gemm("rung-packed")},
		{micro, micro, gemm("steps")}, {"the kit's assembly", "kit", gemm("kit")}, {"OpenBLAS", "OpenBLAS", gemm("blas")},
		{"", "kit", "peak " + slice},
	}
	flops := 2 * float64(size) * float64(size) * float64(size) / 1e9
	seen := make([][]float64, len(rungs))
	for r := range rounds {
		progress(fmt.Sprintf("round %d of %d", r+1, rounds))
		for i, g := range rungs {
			p := c.peer(g.peer)
			if p == nil || (r > 0 && len(seen[i]) == 0) {
				continue
			}
			seconds, err := p.Ask(g.question)
			var none *NoAnswerError
			if errors.As(err, &none) {
				c.missing(g.name, errors.New(none.Why))
				continue
			}
			if err != nil {
				return c.ladder, err
			}
			seen[i] = append(seen[i], seconds)
		}
	}
	for i, g := range rungs {
		switch {
		case len(seen[i]) == 0:
		case g.name == "":
			c.ladder.Peak = 1e-9 / Median(seen[i])
		default:
			c.ladder.Rungs = append(c.ladder.Rungs, Rung{g.name, flops / Median(seen[i])})
		}
	}
	return c.ladder, nil
}

// peer returns the peer of a name, or nil.
func (c *climb) peer(name string) *Peer {
	for _, p := range c.peers {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Table draws the ladder as a table of bars in lines of the given width, its whole
// width the peak.
func (l Ladder) Table(columns int) string {
	rows := l.Rungs
	if l.Peak > 0 {
		rows = append(rows[:len(rows):len(rows)], Rung{"peak of one core", l.Peak})
	}
	name, top := 0, 0.0
	for _, r := range rows {
		name, top = max(name, len(r.Name)), max(top, r.GFLOPS)
	}
	width := max(4, columns-name-20)
	var b strings.Builder
	fmt.Fprintf(&b, "C = A·B, %d × %d, float32, one core, in GFLOP/s\n%s\n\n", l.Size, l.Size, l.Machine)
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s %7.1f %6.1f×  %s\n", name, r.Name, r.GFLOPS, r.GFLOPS/l.Rungs[0].GFLOPS, lang.Bar(r.GFLOPS/top, width))
	}
	for _, m := range l.Missing {
		fmt.Fprintf(&b, "missing  %s\n", m)
	}
	return b.String()
}
