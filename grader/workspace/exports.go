package workspace

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// exports remembers where the go command keeps the export data of packages that
// no student writes, the standard library's and the kit's own: to ask it takes
// as long as half a build.
type exports struct {
	mu    sync.Mutex
	files map[string]map[string]string // by what they depend on: the file of each package
}

// exported returns the export data of packages and of all that they import: the file of
// each. What it has learnt outlives the process, and is not asked for anew but where a file
// is not there any more, or if it is said that something is missing.
func (k *Kit) exported(ctx context.Context, b Build, tmp string, packages []string, anew bool) (map[string]string, error) {
	k.exports.mu.Lock()
	defer k.exports.mu.Unlock()
	key, err := k.exportsKey(b.Env)
	if err != nil {
		return nil, err
	}
	files := k.exports.files[key]
	if files == nil {
		files = readExports(key)
	}
	if !anew && complete(files, packages) {
		return files, nil
	}
	if files, err = k.listExports(ctx, b, tmp, packages, files); err != nil {
		return nil, err
	}
	if k.exports.files == nil {
		k.exports.files = map[string]map[string]string{}
	}
	k.exports.files[key] = files
	writeExports(key, files)
	return files, nil
}

// complete reports whether the files of packages are known, and all that are known still
// there: the go command removes from its cache what nobody has used for some days.
func complete(files map[string]string, packages []string) bool {
	return !slices.ContainsFunc(slices.Concat(packages, slices.Collect(maps.Keys(files))), func(path string) bool {
		_, err := os.Stat(files[path])
		return err != nil
	})
}

// listExports asks the go command, which compiles what is not in its cache, and adds what
// it says to the files that are known. A package that it cannot build has none.
func (k *Kit) listExports(
	ctx context.Context, b Build, tmp string, packages []string, known map[string]string,
) (map[string]string, error) {
	args := append([]string{"list", "-e", "-deps", "-export", "-tags=" + probeTag, "-f", "{{.ImportPath}}\t{{.Export}}"}, packages...)
	cmd, err := k.goCommand(ctx, Build{Env: b.Env}, tmp, args)
	if err != nil {
		return nil, err
	}
	output, err := run(cmd, buildTimeout, sandbox.Policy{})
	if err != nil {
		return nil, lang.Errorf("the go command failed:\n%s", strings.TrimSpace(output))
	}
	files := map[string]string{}
	maps.Copy(files, known)
	for line := range strings.Lines(output) {
		if path, file, _ := strings.Cut(strings.TrimSpace(line), "\t"); file != "" {
			files[path] = file
		}
	}
	return files, nil
}
