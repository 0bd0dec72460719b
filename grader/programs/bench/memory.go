package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

// memory returns how many bytes training with the recipe's batch takes at its peak, beyond
// what the program had before: parameters, gradients, the optimiser's means, and what a step computes on the
// way. It can be measured only as long as no model has been trained.
func (w *worker) memory(name string) (float64, error) {
	if bytes, ok := w.memories[name]; ok {
		return bytes, nil
	}
	if len(w.trainers) > 0 {
		return 0, errors.New("a model is in training already")
	}
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins here
		return 0, err
	}
	before, err := status("VmRSS")
	if err != nil {
		return 0, err
	}
	t, err := w.trainer(name, wholeBatch)
	if err != nil {
		return 0, err
	}
	for range 3 {
		if _, err := t.Step(t.ids, t.targets, 1e-4); err != nil {
			return 0, err
		}
	}
	peak, err := status("VmHWM")
	w.memories[name] = peak - before
	return peak - before, err
}

// status reads a number of bytes of /proc/self/status.
func status(name string) (float64, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kilobytes float64
		if _, err := fmt.Sscanf(lines.Text(), name+": %g kB", &kilobytes); err == nil {
			return 1024 * kilobytes, nil
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", name)
}
