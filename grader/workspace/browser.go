package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// ForBrowser is the Env of a build whose program a browser runs, as WebAssembly.
func ForBrowser() []string { return []string{"GOOS=js", "GOARCH=wasm"} }

// target returns the system and the processor that an Env asks for.
func target(env []string) (system, processor string) {
	system, processor = runtime.GOOS, runtime.GOARCH
	for _, e := range env {
		switch name, value, _ := strings.Cut(e, "="); name {
		case "GOOS":
			system = value
		case "GOARCH":
			processor = value
		}
	}
	return system, processor
}

// BrowserRuntime returns the script that a program ForBrowser is run by, with its licence:
// that of the Go which builds it.
func (k *Kit) BrowserRuntime(ctx context.Context) (string, error) {
	cmd, err := k.goCommand(ctx, Build{}, os.TempDir(), []string{"env", "GOROOT"})
	if err != nil {
		return "", err
	}
	output, err := run(cmd, buildTimeout, sandbox.Policy{})
	if err != nil {
		return "", lang.Errorf("the go command failed:\n%s", strings.TrimSpace(output))
	}
	root := strings.TrimSpace(output)
	script, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", lang.Errorf("%s is missing, which a browser needs to run Go; install Go as https://go.dev/dl has it",
			filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	}
	if err != nil {
		return "", err
	}
	licence, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return "/*\n" + strings.ReplaceAll(string(licence), "*/", "* /") + "*/\n" + string(script), nil
}
