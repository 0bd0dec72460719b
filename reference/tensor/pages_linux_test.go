package tensor_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
)

// What is large lies in memory that is marked for large pages, from its first number to its last.
func TestLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has none")
	}
	for name, x := range map[string]*tensor.Tensor{
		"New":   tensor.New(3, 1<<20),
		"Reuse": tensor.Reuse(nil, 1<<16),
	} {
		require.Contains(t, flags(t, &x.Data[0]), "hg", name)
		require.Contains(t, flags(t, &x.Data[x.Len()-1]), "hg", name)
		x.Fill(1)
	}
}

// flags are the marks of the memory around p.
func flags(t *testing.T, p *float32) []string {
	file, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer file.Close()
	at, inside := uintptr(unsafe.Pointer(p)), false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if marks, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && inside {
			return strings.Fields(marks)
		}
	}
	return nil
}
