package workspace

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// What the go command says of the machine is no word on the code.
func TestWhatTheMachineLacks(t *testing.T) {
	for name, c := range map[string]struct {
		output  string
		machine bool
	}{
		"a full disk":         {"# x\n/go/link: mapping output file failed: no space left on device\n", true},
		"a full disk, a tool": {"# x\ncompile: writing output: write $WORK/b106/_pkg_.a: no space left on device\n", true},
		"a quota":             {"go: creating work dir: mkdir /tmp/go-build1: disk quota exceeded\n", true},
		"no memory for tools": {"go build x: fork/exec /go/compile: cannot allocate memory\n", true},
		"no thread":           {"runtime: failed to create new OS thread (have 4 already; errno=11)\n", true},
		"in code":             {"steps/a/a.go:3:9: cannot use \"no space left on device\" as int\n\tfork/exec x: cannot allocate memory\n", false},
		"an error":            {"steps/a/a.go:3:9: undefined: x\n", false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.machine, OfMachine(lacks(c.output))) })
	}
}

// What was stopped is the fault of code that needs all that it was given, and of nobody
// where that was little.
func TestStopped(t *testing.T) {
	for name, c := range map[string]struct {
		stopped  stoppedError
		machine  bool
		says     string
		tooBusy  bool
		ofFolder bool
	}{
		"it computed all the time": {stoppedError{limit: time.Minute, ran: time.Minute}, false, "takes more than 1m0s of computing", false, true},
		"it waited":                {stoppedError{limit: time.Minute, ran: 2 * time.Second}, true, "did not end within 1m0s, of which it computed for 2s only", true, false},
		"it wrote too much":        {stoppedError{disk: 1 << 30}, false, "writes more than 1024 MiB", false, true},
		"a disk that is full":      {stoppedError{disk: room.Ample / 2}, true, "there was room for 64 MiB", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.stopped.of("step01_one")
			require.ErrorContains(t, err, c.says)
			require.Equal(t, c.machine, OfMachine(err))
			require.Equal(t, c.tooBusy, TooBusy(err))
			require.Equal(t, c.ofFolder, errors.As(err, new(*BuildLimitError)))
		})
	}
	require.True(t, TooBusy(&stint.StarvedError{}))
}

// A command that has had its time is stopped, and what it computed is known.
func TestCommandIsStopped(t *testing.T) {
	_, err := run(exec.Command("sleep", "1000"), 10*time.Millisecond, sandbox.Policy{})
	var stopped *stoppedError
	require.ErrorAs(t, err, &stopped)
	require.Less(t, stopped.ran, stopped.limit)
}

// What a build alone could not come through within its limits is not built again for
// another setting, nor what is built on it.
func TestLimitIsRemembered(t *testing.T) {
	k := newKit(t, files{"steps/step01_one/one.go": ownOne, "steps/step02_two/two.go": ownTwo})
	parts := []*part{
		k.gathered(inCourse(Build{Step: "step01_one"})),
		k.gathered(inCourse(Build{Step: "step01_one", Env: []string{"GOEXPERIMENT=simd"}})),
		k.gathered(inCourse(Build{Step: "step02_two"})),
		k.gathered(inCourse(Build{Step: "step02_two", Sources: map[string]Source{"step01_one": Solutions()}})),
	}
	limit := &BuildLimitError{Folder: "step01_one"}
	parts[0].err = limit
	for i, want := range []error{limit, limit, limit, nil} {
		require.Equal(t, want, parts[i].known(parts[:1]), i)
	}
}

// A go command without a home is told as that, whatever words it finds for it.
func TestWithoutAHome(t *testing.T) {
	k := newKit(t, nil)
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GOCACHE", "GOPATH", "GOMODCACHE"} {
		t.Setenv(name, "")
	}
	const why = "the go command knows no folder for what it compiles and downloads: set HOME to your home folder"
	for name, set := range map[string]string{"neither": "", "modules alone": "GOMODCACHE", "a build cache alone": "GOCACHE"} {
		t.Run(name, func(t *testing.T) {
			if set != "" {
				t.Setenv(set, t.TempDir())
			}
			_, err := tryBuild(t, k, Build{Step: "step01_one"})
			require.ErrorContains(t, err, why)
			require.True(t, OfMachine(err))
			_, err = k.Fence(t.Context(), nil)
			require.ErrorContains(t, err, why)
		})
	}
}
