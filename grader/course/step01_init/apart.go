package initializers

import (
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// window is how many numbers in a row tell that two streams are one: that four float32
// draws meet four others by chance happens once in 10²⁷ times.
const window = 4

// heads is how many places at the beginning of a stream are looked for in the others:
// a way to draw that drops some numbers, or takes two at a time, falls into step later.
const heads = 8

// apart checks that no stream is another one, entered somewhere else: the numbers at the
// beginning of each are looked for in all of them.
func apart(e *course.Exam) error {
	const n = 20_000
	type place struct{ stream, at int }
	seed := int64(e.Rng.Uint64())
	var asked []wire.Values
	ask := func(seed int64, name string) {
		asked = append(asked, wire.Values{"n": wire.Int(n), "sigma": wire.Float(1), "cut": wire.Float(3), "seed": wire.Int(int(seed)), "name": wire.String(name)})
	}
	for _, name := range names() {
		ask(seed, name)
	}
	for _, s := range []int64{seed, seed + 1, seed + 2, seed + 100, seed ^ 1<<40, 0, 1, 2} {
		ask(s, "w")
	}
	var streams [][]float32
	begins := map[[window]float32]place{}
	for i, in := range asked {
		x, err := drawnArray(e, "truncnormal.sample", in, "x", n)
		if err != nil {
			return err
		}
		streams = append(streams, x)
		for at := range heads {
			begins[[window]float32(x[at:])] = place{i, at}
		}
	}
	for i, x := range streams {
		for at := range n - window + 1 {
			p, found := begins[[window]float32(x[at:])]
			if !found || p == (place{i, at}) {
				continue
			}
			return e.Fails("truncnormal.sample", asked[i], "from draw %d on these are the numbers that the seed %d and the name %q give from draw %d on: one stream, entered at another place, where unrelated ones are wanted",
				at, uint64(asked[p.stream]["seed"].I64[0]), asked[p.stream]["name"].Text, p.at)
		}
	}
	return nil
}
