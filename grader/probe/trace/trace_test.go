package trace_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/trace"
)

const recovered = `goroutine 8 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
github.com/stubformer/stubformer/grader/probe/subject.Functions.answer.func1()
	/home/ada/kit/grader/probe/subject/subject.go:61 +0x4f
panic({0x5a7c60?, 0xc00001e0f0?})
	/usr/local/go/src/runtime/panic.go:787 +0x132
github.com/stubformer/stubformer/reference/tensor.(*Tensor).Row(...)
	/home/ada/kit/reference/tensor/tensor.go:93
github.com/stubformer/stubformer/steps/step05_swiglu.(*SwiGLU).Forward(0xc000012345, {0x1, 0x2})
	/home/ada/kit/steps/step05_swiglu/swiglu.go:41 +0x1d
github.com/stubformer/stubformer/steps/step05_swiglu.init.func4({0xc000012345?})
	/home/ada/kit/steps/step05_swiglu/swiglu_test.go:30 +0x99
github.com/stubformer/stubformer/grader/probe/subject.Functions.answer({0x0})
	/home/ada/kit/grader/probe/subject/subject.go:70 +0x22
created by github.com/stubformer/stubformer/grader/probe/subject.Functions.Answer in goroutine 7
	/home/ada/kit/grader/probe/subject/subject.go:40 +0x11
`

const fatal = `fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
testing.(*T).Run(0xc0001)
	/usr/local/go/src/testing/testing.go:2005 +0x4af

goroutine 9 [chan send]:
github.com/stubformer/stubformer/steps/step08_attention.work(...)
	C:\Users\Ada\kit\steps\step08_attention\attention.go:12 +0x1d
created by github.com/stubformer/stubformer/steps/step08_attention.Forward[...] in goroutine 7
	C:\Users\Ada\kit\steps\step08_attention\attention.go:8 +0x11

goroutine 10 [chan send]:
github.com/stubformer/stubformer/steps/step08_attention.other()
	/kit/steps/step08_attention/attention.go:99 +0x1d
`

func TestStudent(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"a recovered panic", recovered,
			"reference/tensor/tensor.go:93 (*Tensor).Row\nsteps/step05_swiglu/swiglu.go:41 (*SwiGLU).Forward"},
		{"in a booth", strings.ReplaceAll(strings.ReplaceAll(recovered, "swiglu_test.go", "swiglu.go"), "steps/step05_swiglu.init.", "steps/booth12/binding.init."),
			"reference/tensor/tensor.go:93 (*Tensor).Row\nsteps/step05_swiglu/swiglu.go:41 (*SwiGLU).Forward"},
		{"among others", strings.ReplaceAll(recovered, "steps/step05_swiglu", "steps/booth12/step05_swiglu"),
			"reference/tensor/tensor.go:93 (*Tensor).Row\nsteps/step05_swiglu/swiglu.go:41 (*SwiGLU).Forward"},
		{"the first goroutine of the student's", fatal,
			"steps/step08_attention/attention.go:12 work\nsteps/step08_attention/attention.go:8 Forward[...]"},
		{"no trace", "panic: something\n\tand more\n", ""},
		{"nothing", "", ""},
		{"only the module's name", "github.com/stubformer/stubformer/steps\n\tx.go:1", ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, trace.Student(c.trace)) })
	}
}

func TestStudentIsShort(t *testing.T) {
	frame := "github.com/stubformer/stubformer/steps/step05_swiglu.f()\n\t/kit/swiglu.go:7 +0x1\n"
	lines := strings.Split(trace.Student("goroutine 1 [running]:\n"+strings.Repeat(frame, 100)), "\n")
	require.Len(t, lines, 11)
	require.Equal(t, "…", lines[10])
}

func TestWords(t *testing.T) {
	const overflow = "runtime: goroutine stack exceeds 1000000000-byte limit\nruntime: sp=0xc0201e0390 stack=[0xc0201e0000, 0xc0401e0000]\n" +
		"fatal error: stack overflow\n\nruntime stack:\nruntime.throw({0x5, 0x6})\n\t/go/panic.go:1 +0x48\n"
	require.Equal(t, "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow", trace.Words(overflow))
	require.Equal(t, "fatal error: all goroutines are asleep - deadlock!", trace.Words(fatal))
	require.Empty(t, trace.Words(""))
}
