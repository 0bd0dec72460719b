package workspace

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
)

const (
	inKernel  = `"` + module + `/reference/kernel"`
	inTensor  = `"` + module + `/reference/tensor"`
	inOne     = `"` + module + `/steps/step01_one"`
	ordinary  = "step02_two"
	producing = "step03_three" // in the course of this test: files, and no finished products
)

// TestUses inspects programs that use what their step may not, and some that
// only look like them.
func TestUses(t *testing.T) {
	tests := map[string]struct{ folder, imports, body, want string }{
		"a product":                {producing, inKernel, "func f() { kernel.Gemm(kernel.Matrix{}, kernel.Matrix{}, kernel.Matrix{}) }", "x.go:5: kernel.Gemm is not allowed: it is a finished matrix product, and this step is to write one; use your own MatMul, and kernel.Best()"},
		"as a value":               {producing, inKernel, "var f = kernel.Gemm", "x.go:5: kernel.Gemm is not allowed"},
		"under another name":       {producing, "k " + inKernel, "var f = [...]any{k.Gemm}", "x.go:5: kernel.Gemm is not allowed"},
		"without its name":         {producing, ". " + inKernel, "var f = Gemm", "x.go:5: kernel.Gemm is not allowed"},
		"of the tensors":           {producing, inTensor, "var f = tensor.MulAdd", "x.go:5: tensor.MulAdd is not allowed"},
		"put under a layer":        {producing, inTensor, "func f() { tensor.UseProduct(nil) }", "x.go:5: tensor.UseProduct is not allowed: it lies under the products of all steps"},
		"put where products are":   {ordinary, inTensor, "var f = tensor.UseProduct", "x.go:5: tensor.UseProduct is not allowed: it lies under the products of all steps"},
		"who watches":              {ordinary, inKernel, "var f = kernel.WatchProducts", "x.go:5: kernel.WatchProducts is not allowed: it lies under"},
		"a method":                 {producing, inKernel, "var f = kernel.Best().Gemm", "x.go:5: kernel.Micro.Gemm is not allowed: it is a finished"},
		"a method expression":      {producing, inKernel, "var f = kernel.Micro.Gemm", "x.go:5: kernel.Micro.Gemm is not allowed"},
		"of a field of one's own":  {producing, inKernel, "type s struct{ m kernel.Micro }\n\nfunc (x s) f() any { return x.m.Gemm }", "x.go:7: kernel.Micro.Gemm is not allowed"},
		"promoted":                 {producing, inKernel, "type s struct{ kernel.Micro }\n\nvar f = s{kernel.Best()}.Gemm", "x.go:7: kernel.Micro.Gemm is not allowed"},
		"of an alias":              {producing, inKernel, "type m = kernel.Micro\n\nvar f = m.Gemm", "x.go:7: kernel.Micro.Gemm is not allowed"},
		"through an interface":     {producing, inKernel, "type g interface{ Gemm(c, a, b kernel.Matrix) }\n\nfunc f() { g(kernel.Best()).Gemm(kernel.Matrix{}, kernel.Matrix{}, kernel.Matrix{}) }", "x.go:7: Gemm is not allowed: through an interface it reaches kernel.Micro.Gemm"},
		"by assertion":             {producing, inKernel, "var f = any(kernel.Best()).(interface{ Gemm(c, a, b kernel.Matrix) }).Gemm", "x.go:5: Gemm is not allowed"},
		"by a constraint":          {producing, inKernel, "func f[T any, M interface{ Gemm(c, a, b T) }](m M, x T) { m.Gemm(x, x, x) }\n\nvar g = f[kernel.Matrix, kernel.Micro]", "x.go:5: Gemm is not allowed"},
		"a field in no set":        {ordinary, inTensor, "var x = new(tensor.Tensor).Secret", "x.go:5: tensor.Tensor.Secret is not allowed: of tensor.Tensor this step may use At, "},
		"its name in a literal":    {ordinary, inTensor, "var x = tensor.Tensor{Secret: 1}", "x.go:5: tensor.Tensor.Secret is not allowed"},
		"a function in no set":     {ordinary, inTensor, "var f = tensor.Unlisted", "x.go:5: tensor.Unlisted is not allowed: of tensor this step may use "},
		"a file by the tensors":    {ordinary, inTensor, "var f = tensor.MapUint16", "x.go:5: tensor.MapUint16 is not allowed"},
		"a file":                   {ordinary, `"os"`, "var f = os.Open", "x.go:5: os.Open is not allowed: of os this step may use Stdout, Stderr, File"},
		"exit under another name":  {producing, `sys "os"`, "func f() { sys.Exit(0) }", "x.go:5: os.Exit is not allowed"},
		"exit without its name":    {producing, `. "os"`, "func f() { Exit(0) }", "x.go:5: os.Exit is not allowed"},
		"a method of os.File":      {ordinary, `"os"`, "func f() { _ = os.Stdout.Chdir() }", "x.go:5: os.File.Chdir is not allowed: of os.File this step may use Close,"},
		"the same by assertion":    {ordinary, `"log"`, "func f() { _ = log.Writer().(interface{ Chdir() error }).Chdir() }", "x.go:5: Chdir is not allowed: through an interface it reaches os.File.Chdir"},
		"a raw connection":         {producing, `"os"`, "var f = os.Stdout.SyscallConn", "x.go:5: os.File.SyscallConn is not allowed"},
		"it by inference":          {producing, `"os"`, "func raw[T any](f interface{ SyscallConn() (T, error) }) any { return f }\n\nvar f = raw(os.Stdout)", "x.go:7: raw is not allowed: it leads to syscall.RawConn"},
		"a reflect.Value":          {ordinary, `"encoding/json"`, "func f(e *json.UnsupportedValueError) any { return e.Value }", "x.go:5: e.Value is not allowed: it leads to reflect.Value"},
		"without the name of json": {ordinary, `. "encoding/json"`, "func f(e *UnsupportedValueError) { v := e.Value.Len(); _ = v }", "x.go:5: reflect.Value.Len is not allowed"},
		"a reflect.Type":           {ordinary, `"encoding/json"`, "func f(e *json.UnmarshalTypeError) string { return e.Type.PkgPath() }", "x.go:5: reflect.Type.PkgPath is not allowed: it goes around"},
		"unsafe.Pointer":           {ordinary, `"sync/atomic"`, "func of[P any](load func(*P) P) *P { return new(P) }\n\nvar p = of(atomic.LoadPointer)", "is not allowed: it leads to unsafe.Pointer"},
		"the line of a caller":     {ordinary, `"log"`, "func f() { log.Default().Output(3, \"\") }", "x.go:5: log.Logger.Output is not allowed: of log.Logger this step may use Fatal,"},
		"that line by assertion":   {ordinary, `"log"`, "func f() { var l any = log.Default(); l.(interface{ Output(int, string) error }).Output(3, \"\") }", "x.go:5: Output is not allowed: through an interface it reaches log.Logger.Output"},
		"the function of that":     {ordinary, `"log"`, "var f = log.Output", "x.go:5: log.Output is not allowed"},
		"a method of its type":     {ordinary, `"runtime"`, "var f = runtime.FuncForPC", "x.go:5: runtime.FuncForPC is not allowed"},

		"regular expressions":           {ordinary, `"regexp"`, "var spaces = regexp.MustCompile(`\\s+`).FindAllString(\"a b\", -1)", ""},
		"a log with lines":              {ordinary, `"log"`, "func f() { log.SetFlags(log.Lshortfile); log.Printf(\"%d\", 1) }", ""},
		"a method of os.File by io":     {ordinary, "(\n\"io\"\n\"os\"\n)", "var n, err = any(os.Stdout).(io.Seeker).Seek(0, 0) // a pipe, see course.Computing", ""},
		"the micro-kernel":              {producing, inKernel, "var f = kernel.Best().Tile", ""},
		"a product in another step":     {ordinary, inTensor, "var f = tensor.Mul", ""},
		"a file where files are":        {producing, `"os"`, "var f, err = os.Open(\"x\")\n\nfunc g() error { defer f.Close(); _, e := f.Stat(); return e }", ""},
		"a variable called os":          {ordinary, `"fmt"`, "type t struct{ Exit int }\n\nvar os t\n\nfunc f() { fmt.Print(os.Exit) }", ""},
		"one's own Gemm":                {producing, inKernel, "type m struct{ kernel.Micro }\n\nfunc (m) Gemm(a, b []float32) {}\n\nvar f = m{}.Gemm", ""},
		"an interface with another one": {producing, inKernel, "type g interface{ Gemm(a, b []float32) }\n\nfunc f(x g, _ kernel.Micro) { x.Gemm(nil, nil) }", ""},
		"a method called SyscallConn":   {producing, `"os"`, "type s struct{ *os.File }\n\nfunc (s) SyscallConn() {}\n\nfunc f() { s{}.SyscallConn() }", ""},
		"a tensor in a generic":         {ordinary, inTensor, "type of[T any] struct{ v T }\n\nvar x = of[*tensor.Tensor]{}.v.Shape", ""},
		"json and atomic":               {ordinary, "(\n\"encoding/json\"\n\"sync/atomic\"\n)", "var n atomic.Int64\n\nfunc f() error { var e *json.SyntaxError; _ = e.Offset; return json.Unmarshal(nil, &n) }", ""},
		"memory by the runtime":         {ordinary, `"runtime"`, "func f() uint64 { var m runtime.MemStats; return m.BySize[0].Mallocs + m.Alloc }", ""},
		"a type of another step":        {ordinary, inOne, "var f = one.Name", ""},
	}
	k := newKit(t, nil)
	c := toys()
	c[2].Uses = course.Join(course.Computing(), course.Vectors(), course.Files())
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := []byte("package " + tt.folder[len("step02_"):] + "\n\nimport " + tt.imports + "\n\n" + tt.body + "\n")
			b := Build{Course: c, Step: tt.folder, Overlay: map[string][]byte{tt.folder + "/x.go": text}}
			err := k.Inspect(t.Context(), b)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorAs(t, err, new(*RefusedError))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// A file that only one build sees is looked through in that build.
func TestUsesOfAnExperiment(t *testing.T) {
	c := toys()
	c[2].Uses = course.Join(course.Computing(), course.Vectors())
	text := "//go:build goexperiment.simd\n\npackage three\n\nimport " + inKernel + "\n\nvar f = kernel.Gemm\n"
	k := newKit(t, files{"steps/step03_three/fast.go": text})
	require.NoError(t, k.Inspect(t.Context(), Build{Course: c, Step: producing}))
	err := k.Inspect(t.Context(), Build{Course: c, Step: producing, Env: []string{"GOEXPERIMENT=simd"}})
	require.ErrorContains(t, err, "fast.go:7: kernel.Gemm is not allowed")
}

// Each step of a student's stack is held to its own rules, and solutions to none.
func TestUsesOfAStack(t *testing.T) {
	const text = "package one\n\nimport \"os\"\n\nfunc Name() string { return os.Getenv(\"x\") }\n"
	k := newKit(t, files{"steps/step01_one/one.go": text, "solutions/step01_one/one.go": text})
	_, err := tryBuild(t, k, Build{Step: ordinary})
	require.ErrorAs(t, err, new(*RefusedError))
	require.ErrorContains(t, err, "one.go:5: os.Getenv is not allowed")
	_, err = tryBuild(t, k, Build{Step: ordinary, Sources: map[string]Source{"step01_one": Solutions()}})
	require.NoError(t, err)
}

// Code that does not compile is told what the compiler says.
func TestUsesWhereTypesAreWrong(t *testing.T) {
	k := newKit(t, files{"steps/step02_two/x.go": "package two\n\nimport \"os\"\n\nvar f int = os.Exit\n"})
	_, err := tryBuild(t, k, Build{Step: ordinary})
	require.ErrorAs(t, err, new(*CompileError))
	require.ErrorContains(t, err, "x.go:5:13: cannot use os.Exit")
}

// A change of the kit's own packages is seen at once, whatever was remembered of
// them.
func TestUsesOfAChangedKit(t *testing.T) {
	k := newKit(t, nil)
	b := Build{Course: toys(), Step: ordinary}
	require.NoError(t, k.Inspect(t.Context(), b))
	files{
		"reference/tensor/more.go": "package tensor\n\nfunc Fresh() {}\n",
		"steps/step02_two/x.go":    "package two\n\nimport " + inTensor + "\n\nvar f = tensor.Fresh\n",
	}.write(t, k.Root)
	require.ErrorContains(t, k.Inspect(t.Context(), b), "x.go:5: tensor.Fresh is not allowed")
}

// Where the place of export data is remembered, the go command is not asked.
func TestExportsAreRemembered(t *testing.T) {
	k := newKit(t, nil)
	b := Build{Course: toys(), Step: ordinary}
	want, err := k.exported(t.Context(), b, t.TempDir(), []string{"os"}, false)
	require.NoError(t, err)
	key, err := k.exportsKey(nil)
	require.NoError(t, err)
	require.Equal(t, want, readExports(key))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	again := findKit(t, k.Root)
	got, err := again.exported(ended, b, t.TempDir(), []string{"os"}, false)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = again.exported(ended, b, t.TempDir(), []string{"os", "expvar"}, false)
	require.Error(t, err, "what is new is asked for")
}

// A step that its course does not list may use nothing, and is the grader's error.
func TestUnlistedStep(t *testing.T) {
	_, err := tryBuild(t, newKit(t, nil), Build{Course: toys()[1:], Step: "step01_one"})
	require.ErrorContains(t, err, "does not list step01_one, so nothing says what it may use")
	require.NotErrorAs(t, err, new(*RefusedError))
}
