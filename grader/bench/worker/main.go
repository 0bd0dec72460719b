// Command worker is the kit as a peer of bench.Compare: its own products and
// vector functions, gonum's, and the training and generation of the steps. It
// is built with an overlay that says whose steps they are.
//
// It reads a question from each line of its standard input and answers each
// with a line: the seconds that one operation takes, or "!" and why there is no
// answer. The questions are
//
//	gemm IMPL TRANSA TRANSB M N K ACCUMULATE SECONDS
//	vector NAME ROWS COLUMNS SECONDS
//	train MODEL SECONDS       for one token
//	generate MODEL TOKENS     for one token
//	read HOW SECONDS          for a byte of memory, by all cores
//	peak SECONDS              for one floating-point operation
//	tile SECONDS              the same within the micro-kernel
//
// SECONDS is how long to measure.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/bench/fma"
	"github.com/stubformer/stubformer/reference/kernel"
)

func main() {
	w := worker{trainers: map[string]*trainer{}}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		seconds, err := w.answer(strings.Fields(lines.Text()))
		if err != nil {
			fmt.Println("!", err)
			continue
		}
		fmt.Println(strconv.FormatFloat(seconds, 'g', 6, 64))
	}
}

type worker struct {
	operands operands
	trainers map[string]*trainer
}

func (w *worker) answer(q []string) (seconds float64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	verb := ""
	if len(q) > 0 {
		verb, q = q[0], q[1:]
	}
	switch {
	case verb == "gemm" && len(q) == 8:
		return w.operands.gemm(q)
	case verb == "vector" && len(q) == 4:
		return w.operands.vector(q)
	case verb == "train" && len(q) == 2:
		t, err := w.trainer(q[0])
		if err != nil {
			return 0, err
		}
		return t.train(span(q[1]))
	case verb == "generate" && len(q) == 2:
		t, err := w.trainer(q[0])
		if err != nil {
			return 0, err
		}
		return t.generate(number(q[1]))
	case verb == "read" && len(q) == 2:
		return w.operands.read(q[0], span(q[1]))
	case verb == "peak" && len(q) == 1:
		return 1 / fma.Peak(span(q[0])), nil
	case verb == "tile" && len(q) == 1:
		return tile(span(q[0])), nil
	}
	return 0, fmt.Errorf("there is no question %q of %d words", verb, len(q))
}

// number and span read a number and a time; a peer that is asked the wrong way
// answers with the panic.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func span(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return time.Duration(f * float64(time.Second))
}

// measure calls do for about the given time and returns the seconds of a call.
// The first call, which may fill caches and make buffers, counts only if it
// takes all the time.
func measure(d time.Duration, do func()) float64 {
	start := time.Now()
	do()
	first := max(time.Since(start), time.Microsecond/10)
	if first >= d {
		return first.Seconds()
	}
	calls := int(d / first)
	start = time.Now()
	for range calls {
		do()
	}
	return time.Since(start).Seconds() / float64(calls)
}

// tile is the time of one floating-point operation in the micro-kernel, with
// panels that lie in the first-level cache.
func tile(d time.Duration) float64 {
	const k = 256
	m := kernel.Best()
	a, b, c := make([]float32, k*m.MR), make([]float32, k*m.NR), make([]float32, m.MR*m.NR)
	best := 1.0
	for end := time.Now().Add(d); time.Now().Before(end); {
		const calls = 200
		start := time.Now()
		for range calls {
			m.Tile(k, a, b, c, m.NR, true)
		}
		best = min(best, time.Since(start).Seconds()/float64(calls*2*m.MR*m.NR*k))
	}
	return best
}
