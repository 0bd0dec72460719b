// Package endure kills the grading of a class again and again, and finds out
// whether what comes of it in the end is what comes of a run that is left alone.
package endure

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/cmd/teach/class"
)

// Trial is a class that is graded twice: once left alone, once killed.
type Trial struct {
	// Command grades the class into a folder, going on where the last run was.
	Command func(out string) *exec.Cmd
	Number  int                              // of submissions
	Kills   int                              // of the second run
	Rand    *rand.Rand                       // when
	Log     func(format string, args ...any) // what is going on

	// Varies reports whether the marks of a submission may differ from run to run,
	// as those of a program that draws lots do; nil for none.
	Varies func(name string) bool
}

// longest is the longest time between the result after which a run is to be killed
// and its end; where a whole run is short, a part of that is.
const longest = 2 * time.Second

// Run grades into the two folders and returns what is different in them.
func (t Trial) Run(whole, pieces string) (problems []string, err error) {
	t.Log("grading without interruption")
	begun := time.Now()
	if err := t.finish(whole); err != nil {
		return nil, err
	}
	delay := min(longest, time.Since(begun)/10)
	for i, target := range t.targets() {
		killed, err := t.kill(pieces, target, delay)
		if err != nil {
			return nil, err
		}
		if !killed {
			problems = append(problems, fmt.Sprintf("run %d of %d came to its end before it was killed", i+1, t.Kills))
			break
		}
		t.Log("kill %d of %d, with %d of %d results stored", i+1, t.Kills, stored(pieces), t.Number)
	}
	if err := t.finish(pieces); err != nil {
		return nil, err
	}
	different, err := t.compare(whole, pieces)
	return append(problems, different...), err
}

// targets are the numbers of stored results after which the run is killed.
func (t Trial) targets() []int {
	targets := make([]int, t.Kills)
	for i := range targets {
		targets[i] = t.Rand.IntN(max(1, t.Number*9/10))
	}
	slices.Sort(targets)
	return targets
}

// finish grades to the end.
func (t Trial) finish(out string) error {
	cmd := t.Command(out)
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("%w:\n%s", err, tail(said))
	}
	return err
}

// kill starts a run and kills it, with its process group, when so many results
// are stored and up to delay more has passed; killed is false if it ended before.
func (t Trial) kill(out string, target int, delay time.Duration) (killed bool, err error) {
	cmd := t.Command(out)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	moment := time.After(time.Hour)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for waiting := true; ; {
		select {
		case err := <-ended:
			if err != nil {
				return false, fmt.Errorf("a run ended by itself: %w:\n%s", err, tail(said.Bytes()))
			}
			return false, nil
		case <-tick.C:
			if waiting && stored(out) >= target {
				waiting, moment = false, time.After(time.Duration(t.Rand.Int64N(int64(delay))))
			}
		case <-moment:
			err := killGroup(cmd)
			<-ended
			return true, err
		}
	}
}

// stored is how many results are stored in a folder of results.
func stored(out string) int {
	names, _ := os.ReadDir(filepath.Join(out, "results")) // none before the first
	n := 0
	for _, e := range names {
		if filepath.Ext(e.Name()) == ".json" && e.Name()[0] != '.' {
			n++
		}
	}
	return n
}

func tail(said []byte) []byte { return said[max(0, len(said)-4000):] }

// compare returns what differs between two folders of results.
func (t Trial) compare(whole, pieces string) (problems []string, err error) {
	varied, problems, err := t.rows(whole, pieces)
	if err != nil {
		return nil, err
	}
	for _, ending := range []string{".csv", ".json", ".md"} {
		name := class.Misconceptions + ending
		same, err := identical(filepath.Join(whole, name), filepath.Join(pieces, name))
		if err != nil {
			return nil, err
		}
		if !same && varied {
			t.Log("%s differs, as the marks of those that draw lots do", name)
		} else if !same {
			problems = append(problems, name+" differs")
		}
	}
	return problems, nil
}

// rows compares the gradebooks. varied reports whether they differ where they
// may.
func (t Trial) rows(whole, pieces string) (varied bool, problems []string, err error) {
	a, b := filepath.Join(whole, class.GradebookCSV), filepath.Join(pieces, class.GradebookCSV)
	if same, err := identical(a, b); same || err != nil {
		return false, nil, err
	}
	left, err := readTable(a)
	if err != nil {
		return false, nil, err
	}
	right, err := readTable(b)
	if err != nil {
		return false, nil, err
	}
	if len(left) != len(right) {
		problems = append(problems, fmt.Sprintf("%d rows in one gradebook, %d in the other", len(left), len(right)))
	}
	for i := range min(len(left), len(right)) {
		if slices.Equal(left[i], right[i]) {
			continue
		}
		line := fmt.Sprintf("the row %s was %s without interruption", strings.Join(right[i], ","), strings.Join(left[i], ","))
		if t.Varies != nil && left[i][0] == right[i][0] && t.Varies(left[i][0]) {
			t.Log("%s, which it may", line)
			varied = true
			continue
		}
		problems = append(problems, line)
	}
	return varied, problems, nil
}

func readTable(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return csv.NewReader(f).ReadAll()
}

func identical(a, b string) (bool, error) {
	left, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	right, err := os.ReadFile(b)
	return bytes.Equal(left, right), err
}
