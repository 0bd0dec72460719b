package subject

import (
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stubformer/stubformer/reference/wire"
)

// atOnce is the argument that puts a call to several goroutines at the same time. It
// says how often a call of the first must meet one of another. With 0 it meets none, and
// it is the goroutines that the call starts itself that meet; see overlapped.
const atOnce = "at_once"

const (
	// neighbours is how many goroutines make the same call, with other numbers, as long
	// as the first one does.
	neighbours = 2
	// patience is how many calls are made at most for each that is to meet another. On
	// one processor calls meet only where a goroutine is interrupted.
	patience = 100
	// pause is how long they wait between two calls: who wakes up interrupts another
	// where processors are few, much sooner than its slice of time would end.
	pause = 50 * time.Microsecond
)

// amid prepares a call for being made while other goroutines make the same with other
// numbers. What it returns takes the answer alone and makes that call many times: the
// answer of these that is farthest from the one alone. They are the same, but for
// roundings, unless the goroutines share what each should have for itself.
//
// Every goroutine has a layer of its own, but for the one that the call is about if
// that stays. Any other call, which is not to be made at the same time as others, keeps
// its answer.
func (h *Host) amid(name string, in wire.Values) func(alone wire.Message) wire.Message {
	if _, several := in[atOnce]; !several {
		return func(alone wire.Message) wire.Message { return alone }
	}
	meetings, call := Args{in, h}.Int(atOnce), in.Clone()
	if meetings > 0 {
		delete(call, atOnce)
	}
	ask := func(in wire.Values) wire.Message {
		host := NewHost(h.functions)
		host.kept = maps.Clone(h.kept)
		return host.run(name, written(in))
	}
	return func(alone wire.Message) wire.Message {
		if alone.Status != wire.OK {
			return alone
		}
		if meetings == 0 {
			return overlapped(func() wire.Message { return ask(call) })
		}
		other := reversed(call)
		m := interrupted(func() wire.Message { return ask(call) }, func() wire.Message { return ask(other) })
		if m.Status != wire.OK {
			return m
		}
		met := among(alone, meetings, func() wire.Message { return ask(call) }, func(int) wire.Message { return ask(other) })
		if met.Status == wire.OK && apart(m, alone) > apart(met, alone) {
			return m
		}
		return met
	}
}

// Amid asks until so many of its calls have met one of other goroutines, each of which
// has a number, and returns the answer that is farthest from the one alone.
func (a Args) Amid(meetings int, ask func() wire.Values, other func(neighbour int)) wire.Values {
	answer := func() wire.Message { return wire.Message{Status: wire.OK, Values: ask()} }
	m := among(answer(), meetings, answer, func(neighbour int) (m wire.Message) {
		defer func() {
			if p := recover(); p != nil {
				m = recovered(p, string(debug.Stack()))
			}
		}()
		other(neighbour)
		return wire.Message{Status: wire.OK}
	})
	if m.Status != wire.OK {
		panic(m.Message)
	}
	return m.Values
}

// among asks until so many calls have met another that other goroutines made, and
// returns the answer that is farthest from the one alone, or what one of the others came
// to that did not end well.
func among(alone wire.Message, meetings int, ask func() wire.Message, other func(neighbour int) wire.Message) wire.Message {
	if runtime.GOMAXPROCS(0) <= neighbours {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + neighbours))
	}
	var others atomic.Int64 // how many calls the others have made
	var done atomic.Bool
	var all sync.WaitGroup
	defer all.Wait()
	defer done.Store(true)
	var ends [neighbours]wire.Message
	for i := range neighbours {
		all.Go(func() {
			for !done.Load() && well(ends[i]) {
				ends[i] = other(i)
				others.Add(1)
				time.Sleep(pause)
			}
		})
	}
	worst := alone
	for met, calls := 0, 0; met < meetings && calls < patience*meetings; calls++ {
		before := others.Load()
		if m := ask(); apart(m, alone) > apart(worst, alone) {
			worst = m
		}
		if others.Load() > before {
			met++
		}
	}
	done.Store(true)
	all.Wait()
	for _, m := range ends {
		if !well(m) {
			return m
		}
	}
	return worst
}

// well reports whether a call ended well, or has not been made.
func well(m wire.Message) bool { return m.Status == "" || m.Status == wire.OK }

// written returns arguments with copies of what a call writes to.
func written(in wire.Values) wire.Values {
	own := maps.Clone(in)
	for name, v := range in {
		if strings.HasSuffix(name, "_before") {
			v.F32 = slices.Clone(v.F32)
			own[name] = v
		}
	}
	return own
}

// reversed returns arguments whose numbers stand in the opposite order.
func reversed(in wire.Values) wire.Values {
	out := in.Clone()
	for _, v := range out {
		slices.Reverse(v.F32)
	}
	return out
}

// apart is the largest difference of two answers. It is infinite where one is no answer
// or no number, or where the shapes differ.
func apart(m, alone wire.Message) float64 {
	if m.Status != wire.OK {
		return math.Inf(1)
	}
	largest := 0.0
	for name, want := range alone.Values {
		got := m.Values[name]
		if !slices.Equal(got.Shape, want.Shape) || len(got.F32) != len(want.F32) || len(got.F64) != len(want.F64) {
			return math.Inf(1)
		}
		for i, x := range want.F32 {
			if got.F32[i] != x {
				largest = max(largest, distance(float64(got.F32[i]), float64(x)))
			}
		}
		for i, x := range want.F64 {
			largest = max(largest, distance(got.F64[i], x))
		}
	}
	return largest
}

// distance is 0 for numbers that are the same, and infinite if one of two is none.
func distance(x, y float64) float64 {
	if d := math.Abs(x - y); d == d {
		return d
	}
	if x == y || x != x && y != y {
		return 0
	}
	return math.Inf(1)
}
