package child_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/child"
)

// TestMain lets the test's program be a command, and what a command has started: both
// write to the test's pipe, the second one longer than any test.
func TestMain(m *testing.M) {
	switch role := os.Getenv("CHILD_TEST"); role {
	case "":
		os.Exit(m.Run())
	case "second":
		fmt.Println("second")
		time.Sleep(time.Hour)
	default:
		second := exec.Command(os.Args[0])
		second.Env = append(os.Environ(), "CHILD_TEST=second")
		second.Stdout = os.Stdout
		if err := second.Start(); err != nil {
			panic(err)
		}
		bufio.NewReader(os.Stdin).ReadString('\n') // may go on
		if role == "stays" {
			time.Sleep(time.Hour)
		}
	}
}

// What a command has started ends with it: when it has been waited for, and when it is
// killed. Until then the pipe would not come to its end.
func TestNothingIsLeft(t *testing.T) {
	for _, role := range []string{"ends", "stays"} {
		t.Run(role, func(t *testing.T) {
			read, write, err := os.Pipe()
			require.NoError(t, err)
			self, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), "CHILD_TEST="+role)
			cmd.Stdout = write
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			end, err := child.Start(cmd)
			require.NoError(t, err)
			require.NoError(t, write.Close())
			said, err := bufio.NewReader(read).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "second\n", said)
			_, err = io.WriteString(in, "\n")
			require.NoError(t, err)
			if role == "stays" {
				require.NoError(t, child.Kill(cmd))
			}
			cmd.Wait()
			end()
			_, err = io.ReadAll(read)
			require.NoError(t, err)
		})
	}
}
