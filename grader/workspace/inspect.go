package workspace

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/host/tree"
	"github.com/stubformer/stubformer/grader/lang"
)

// Inspect says what Build would refuse in the code that students wrote, without
// building it.
func (k *Kit) Inspect(ctx context.Context, b Build) (err error) {
	steps, err := k.gather(b)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "inspect-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tree.RemoveAll(tmp)) }()
	return k.inspect(ctx, b, steps, tmp)
}

// inspect takes the code that students wrote apart by its types, and refuses
// what its step may not use, however it is reached.
func (k *Kit) inspect(ctx context.Context, b Build, steps map[string]*code, tmp string) error {
	if !slices.ContainsFunc(slices.Collect(maps.Values(steps)), func(c *code) bool { return c.source.students() }) {
		return nil
	}
	files, err := k.exported(ctx, b, tmp, foreign(steps), false)
	if err != nil {
		return err
	}
	p := &program{steps: steps, done: map[string]*inspected{}}
	p.exported = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("there is no package %s", path)
		}
		return os.Open(files[path])
	})
	var refused error
	for _, folder := range slices.Sorted(maps.Keys(steps)) {
		if _, err := p.step(folder); err != nil {
			return lang.Errorf("the types of %s could not be read, which the compiler can: %w", folder, err)
		}
		if r := p.done[folder].refused; r != nil && (refused == nil || folder == b.Step) {
			refused = r
		}
	}
	return refused
}

// foreign returns the packages, other than steps, whose types an inspection
// needs: those that the code imports, and those of which a part is refused, for
// a value of theirs may arrive without an import.
func foreign(steps map[string]*code) []string {
	packages := map[string]bool{}
	for _, c := range steps {
		for _, file := range c.syntax {
			for _, spec := range file.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				packages[path] = err == nil && !strings.HasPrefix(path, stepsPath)
			}
		}
		if c.source.students() {
			for _, path := range c.rules.step.Uses.InPart() {
				packages[path] = true
			}
		}
	}
	maps.DeleteFunc(packages, func(_ string, ok bool) bool { return !ok })
	return slices.Sorted(maps.Keys(packages))
}

// program holds the types of a build's code. It imports steps from their source
// and everything else from what the compiler exported.
type program struct {
	steps    map[string]*code
	done     map[string]*inspected
	exported types.Importer
}

// inspected is a step whose types are known.
type inspected struct {
	pkg     *types.Package
	refused *RefusedError
	err     error
}

// Import implements types.Importer.
func (p *program) Import(path string) (*types.Package, error) {
	if folder, ok := strings.CutPrefix(path, stepsPath); ok {
		return p.step(folder)
	}
	return p.exported.Import(path)
}

// step returns the package of a step, and looks through it if a student wrote
// it.
func (p *program) step(folder string) (*types.Package, error) {
	if done := p.done[folder]; done != nil {
		return done.pkg, done.err
	}
	c, done := p.steps[folder], &inspected{err: errors.New("the steps import each other in a circle")}
	if c == nil {
		return nil, fmt.Errorf("%s is not part of the build", folder)
	}
	p.done[folder] = done
	conf := types.Config{Importer: p, Sizes: types.SizesFor("gc", runtime.GOARCH), IgnoreFuncBodies: !c.source.students()}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}
	done.pkg, done.err = conf.Check(stepsPath+folder, c.fset, c.syntax, info)
	if done.err == nil && c.source.students() {
		u := newUsage(c.rules, done.pkg, p.exported)
		place, why := u.first(info)
		if place != nil {
			done.refused = c.refuse(place, why)
		}
		done.err = u.err
	}
	return done.pkg, done.err
}
