package probe

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// crampedTo names the environment's limit, in KiB, of a test that starts itself.
const crampedTo = "STUBFORMER_TEST_CRAMPED"

func TestCramped(t *testing.T) {
	if option, size, is := strings.Cut(os.Getenv(crampedTo), " "); is {
		err := Cramped()
		if kib, _ := strconv.Atoi(size); kib >= 3<<20 {
			require.NoError(t, err)
			return
		}
		require.ErrorContains(t, err, "MiB (ulimit "+option+"), and right answers may need ")
		return
	}
	for _, limit := range []string{"-v 1800000", "-d 500000", "-v 4000000", "-d 4000000"} {
		cmd := exec.Command("/bin/sh", "-c", "ulimit "+limit+` && exec "$0" -test.run=^TestCramped$`, os.Args[0])
		cmd.Env = append(os.Environ(), crampedTo+"="+limit)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", limit, out)
	}
	for _, r := range allowances() {
		var own syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(r.resource, &own))
		if own.Cur < r.least {
			t.Skip("this shell is cramped itself")
		}
	}
	require.NoError(t, Cramped())
}
