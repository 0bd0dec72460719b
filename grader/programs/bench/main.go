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
//	step MODEL SECONDS        where the time of a training step of one shard goes; the answer
//	                          is a roofline.Step in JSON
//	memory MODEL              no seconds: the bytes that training takes at its peak
//	train MODEL SECONDS       for one token, with a batch of 8 at most for base and of 12 for others
//	update MODEL SECONDS      for a training step with the recipe's batch
//	sums MODEL SECONDS        for adding up the gradients of its shards
//	waking SECONDS            for waking a goroutine on every other processor
//	generate MODEL TOKENS     for one token
//	spend MODEL TOKENS        the same in the processor's time
//	batch MODEL ROWS TOKENS   for one token of so many rows, written side by side with one cache
//	pages MODEL ROWS TOKENS   no seconds: the time of the same through pages of step 22 in that
//	                          through the cache
//	prefill MODEL SECONDS     for one token of a prompt that fills the context, read at once
//	operations MODEL          no seconds: the floating-point operations of the products in
//	                          prefill, for one token
//	weights MODEL             no seconds: the bytes of the weights that a token is multiplied with
//	attention FORM SECONDS    for going forward and backward through 8 heads of 2,048 tokens,
//	                          with all their scores or in tiles
//	encode DIR FILE SECONDS   for a byte of a text, with the tokenizer of a folder
//	learn FILE BYTES TOKENS SECONDS
//	                          for learning a vocabulary from the first bytes of a text
//	read HOW SECONDS          for a byte of memory, by all cores
//	peak SECONDS              for one floating-point operation, by all cores
//	tile SECONDS              the same within the micro-kernel
//
// SECONDS is how long to measure. Of a tokenizer it is the processor's time that is
// measured, on one thread and for its garbage. To "ids DIR FILE" the answer is how many
// ids the text has, and their checksum.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/studio/bench/fma"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

func main() {
	w := worker{memories: map[string]float64{}, trainers: map[string]*trainer{}, models: map[string]*lm.LM{}, caches: map[string]writer.Cache{}}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, err := w.reply(strings.Fields(lines.Text()))
		if err != nil {
			answer = "! " + err.Error()
		}
		fmt.Println(answer)
	}
}

type worker struct {
	operands operands
	memories map[string]float64 // bytes, by model
	trainers map[string]*trainer
	models   map[string]*lm.LM       // that are not trained
	caches   map[string]writer.Cache // by model and rows
}

// electives answer the questions about electives, by verb. The file of each adds its own;
// an edition without the step leaves out the file.
var electives = map[string]elective{}

type elective struct {
	words  int // behind the verb
	answer func(w *worker, q []string) (string, error)
}

// asks adds the question of an elective whose answer is a number of seconds, or a ratio.
func asks(verb string, words int, answer func(w *worker, q []string) (float64, error)) {
	electives[verb] = elective{words, func(w *worker, q []string) (string, error) {
		x, err := answer(w, q)
		return written(x), err
	}}
}

func written(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// reply returns the line that answers a question.
func (w *worker) reply(q []string) (answer string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	if e := electives[strings.Join(q[:min(1, len(q))], "")]; e.answer != nil && len(q) == 1+e.words {
		return e.answer(w, q[1:])
	}
	if len(q) == 3 && q[0] == "step" {
		return w.step(q[1], span(q[2]))
	}
	seconds, err := w.answer(q)
	return written(seconds), err
}

func (w *worker) answer(q []string) (seconds float64, err error) {
	verb := ""
	if len(q) > 0 {
		verb, q = q[0], q[1:]
	}
	switch {
	case verb == "gemm" && len(q) == 8:
		return w.operands.gemm(q)
	case verb == "vector" && len(q) == 4:
		return w.operands.vector(q)
	case verb == "memory" && len(q) == 1:
		return w.memory(q[0])
	case verb == "train" && len(q) == 2:
		return w.train(q[0], span(q[1]))
	case verb == "update" && len(q) == 2:
		return w.update(q[0], span(q[1]))
	case verb == "sums" && len(q) == 2:
		return w.sums(q[0], span(q[1]))
	case verb == "waking" && len(q) == 1:
		return waking(span(q[0])), nil
	case verb == "generate" && len(q) == 2:
		return w.generate(q[0], number(q[1]), cputime.Wall)
	case verb == "spend" && len(q) == 2:
		return w.generate(q[0], number(q[1]), cputime.Process)
	case verb == "batch" && len(q) == 3:
		return w.batch(q[0], number(q[1]), number(q[2]))
	case verb == "prefill" && len(q) == 2:
		return w.prefill(q[0], span(q[1]))
	case verb == "operations" && len(q) == 1:
		return w.countOperations(q[0])
	case verb == "weights" && len(q) == 1:
		return w.weights(q[0])
	case verb == "read" && len(q) == 2:
		return w.operands.read(q[0], span(q[1]))
	case verb == "peak" && len(q) == 1:
		return 1 / peak(span(q[0])), nil
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
	start := cputime.Wall()
	do()
	first := max(cputime.Wall()-start, time.Microsecond/10)
	if first >= d {
		return first.Seconds()
	}
	calls := int(d / first)
	start = cputime.Wall()
	for range calls {
		do()
	}
	return (cputime.Wall() - start).Seconds() / float64(calls)
}

// peak is how many floating-point operations a second all cores do together.
func peak(d time.Duration) float64 {
	rates := make([]float64, runtime.GOMAXPROCS(0))
	var cores sync.WaitGroup
	for i := range rates {
		cores.Go(func() { rates[i] = fma.Peak(d) })
	}
	cores.Wait()
	sum := 0.0
	for _, rate := range rates {
		sum += rate
	}
	return sum
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
		start := cputime.Wall()
		for range calls {
			m.Tile(k, a, b, c, m.NR, true)
		}
		best = min(best, (cputime.Wall()-start).Seconds()/float64(calls*2*m.MR*m.NR*k))
	}
	return best
}
