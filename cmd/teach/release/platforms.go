package release

import (
	"archive/zip"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// Packer writes an edition of the kit to a place.
type Packer func(ctx context.Context, kit *workspace.Kit, place string, o Options) error

// What a platform runs, around the kit.
var (
	//go:embed platform/setup.sh
	gradescopeSetup string
	//go:embed platform/run_autograder
	gradescopeRun []byte
	//go:embed platform/autograder.py
	classroom50Run []byte
)

// Gradescope writes the zip that Gradescope's page for an autograder takes:
// setup.sh, run_autograder, and the kit. Source of the layout:
// https://gradescope-autograders.readthedocs.io/en/latest/specs/
func Gradescope(ctx context.Context, kit *workspace.Kit, file string, o Options) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, errors.New(file+" is there already; choose a new name"))
	}
	dir, err := scratch.New()
	if err != nil {
		return err
	}
	defer dir.Remove()
	tmp := dir.Path
	if err := Write(ctx, kit, filepath.Join(tmp, "kit"), o); err != nil {
		return err
	}
	setup := strings.ReplaceAll(newline.Unix(gradescopeSetup), "@GO@", toolchain())
	if err := errors.Join(os.WriteFile(filepath.Join(tmp, "setup.sh"), []byte(setup), 0o755),
		os.WriteFile(filepath.Join(tmp, "run_autograder"), newline.Unix(gradescopeRun), 0o755)); err != nil {
		return err
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if err := errors.Join(w.AddFS(os.DirFS(tmp)), w.Close()); err != nil {
		return err
	}
	return whole.Write(file, b.Bytes())
}

// Classroom50 writes the folder of an autograder: autograder.py and, beside it,
// the kit. What lies there is published, so that it is always a student edition.
// Source of the contract:
// https://github.com/foundation50/classroom50/wiki/Advanced-Autograding
func Classroom50(ctx context.Context, kit *workspace.Kit, dir string, o Options) error {
	o.WithoutSolutions = true
	if err := vacant(kit, dir); err != nil {
		return err
	}
	if err := Write(ctx, kit, filepath.Join(dir, "kit"), o); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "autograder.py"), newline.Unix(classroom50Run), 0o755)
}

// toolchain is the release of Go that a platform is to install: the one that
// has checked the edition.
func toolchain() string {
	version, _, _ := strings.Cut(runtime.Version(), " ")
	version, _, _ = strings.Cut(version, "-")
	return version
}
