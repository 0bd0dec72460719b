package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stubformer/stubformer/reference/kernel"
)

// Machine describes the processor that the process runs on: its model, cores,
// caches and instruction set, as far as the system says.
func Machine() string {
	model := runtime.GOARCH + " processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	parts := []string{model, fmt.Sprintf("%d cores", runtime.NumCPU())}
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*") // sorted; none where there is no such folder
	for _, dir := range dirs {
		read := func(name string) string {
			data, _ := os.ReadFile(filepath.Join(dir, name)) // what is missing is left out below
			return strings.TrimSpace(string(data))
		}
		if level, kind, size := read("level"), read("type"), read("size"); size != "" && kind != "Instruction" {
			parts = append(parts, fmt.Sprintf("L%s %s", level, size))
		}
	}
	return strings.Join(append(parts, kernel.Best().Name, runtime.GOOS, runtime.Version()), ", ")
}
