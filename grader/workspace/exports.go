package workspace

import (
	"context"
	"os"
	"strings"
	"sync"

	"github.com/stubformer/stubformer/grader/lang"
)

// exports remembers where the go command keeps the export data of packages that
// no student writes: the standard library's and the kit's own.
type exports struct {
	mu    sync.Mutex
	files map[string]map[string]string // by environment and packages: the file of each package
}

// exported returns the export data of packages: the file of each.
func (k *Kit) exported(ctx context.Context, b Build, tmp string, packages []string) (map[string]string, error) {
	k.exports.mu.Lock()
	defer k.exports.mu.Unlock()
	key := strings.Join(b.Env, "\n") + "\n\n" + strings.Join(packages, "\n")
	if files := k.exports.files[key]; files != nil && readable(files) {
		return files, nil
	}
	files, err := k.listExports(ctx, b, tmp, packages)
	if err != nil {
		return nil, err
	}
	if k.exports.files == nil {
		k.exports.files = map[string]map[string]string{}
	}
	k.exports.files[key] = files
	return files, nil
}

// readable reports whether all files are still there: the go command removes
// from its cache what nobody has used for some days.
func readable(files map[string]string) bool {
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return true
}

// listExports asks the go command. A package that it cannot build has no file.
func (k *Kit) listExports(ctx context.Context, b Build, tmp string, packages []string) (map[string]string, error) {
	args := append([]string{"list", "-e", "-export", "-f", "{{.ImportPath}}\t{{.Export}}"}, packages...)
	cmd, err := k.goCommand(ctx, Build{Env: b.Env}, tmp, args)
	if err != nil {
		return nil, err
	}
	output, err := run(ctx, cmd, func() {})
	if err != nil {
		return nil, lang.Errorf("the go command failed:\n%s", strings.TrimSpace(output))
	}
	files := map[string]string{}
	for line := range strings.Lines(output) {
		if path, file, _ := strings.Cut(strings.TrimSpace(line), "\t"); file != "" {
			files[path] = file
		}
	}
	return files, nil
}
