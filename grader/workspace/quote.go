package workspace

import (
	"path"
	"regexp"
	"strconv"

	"github.com/stubformer/stubformer/grader/workspace/excerpt"
)

// frameLine matches a line of a trace: "steps/step05_swiglu/swiglu.go:41 (*SwiGLU).Forward".
var frameLine = regexp.MustCompile(`(?m)^steps/(\w+)/([\w.]+\.go):(\d+) `)

// Quote returns the source around the innermost frame of a trace that lies in code
// whose build b is of its writer's own making: that of the step, or what a student
// wrote. It is empty if there is none.
func (k *Kit) Quote(b Build, trace string) string {
	for _, m := range frameLine.FindAllStringSubmatch(trace, -1) {
		folder, name := m[1], m[2]
		if folder != b.Step && !b.Sources[folder].students() {
			continue
		}
		text := b.Overlay[path.Join(folder, name)]
		if text == nil {
			files, _, err := k.read(b.Sources[folder], folder)
			if err != nil {
				return ""
			}
			text = files[name]
		}
		line, err := strconv.Atoi(m[3])
		if err != nil {
			return ""
		}
		return excerpt.Of(text, line, 0)
	}
	return ""
}
