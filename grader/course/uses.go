package course

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// The packages of the kit that a step may import in part.
const (
	kernelPath = "github.com/stubformer/stubformer/reference/kernel"
	tensorPath = "github.com/stubformer/stubformer/reference/tensor"
)

// Uses says what the code of a step may use of packages that are no steps: by
// import path their functions, types, constants and variables, and methods and
// fields as "Tensor.Shape". "MemStats.*" stands for a type's methods and fields,
// "*" for the whole package. What is not in it is refused.
type Uses map[string][]string

// Join returns all that one of the sets allows.
func Join(sets ...Uses) Uses {
	all := Uses{}
	for _, set := range sets {
		for path, symbols := range set {
			all[path] = append(slices.Clone(all[path]), symbols...)
		}
	}
	return all
}

// Ordinary is what most steps may use: what computes, and the matrix product.
func Ordinary() Uses { return Join(Computing(), Vectors(), Products()) }

// Package reports whether something of a package is allowed.
func (u Uses) Package(path string) bool { return len(u[path]) > 0 }

// Whole reports whether all of a package is allowed.
func (u Uses) Whole(path string) bool { return slices.Contains(u[path], "*") }

// Allows reports whether a symbol of a package is allowed: "Dot", "Tensor.Shape".
func (u Uses) Allows(path, symbol string) bool {
	of, _, _ := strings.Cut(symbol, ".")
	return u.Whole(path) || slices.Contains(u[path], symbol) || of != symbol && slices.Contains(u[path], of+".*")
}

// InPart returns the packages of which a part is allowed, in order.
func (u Uses) InPart() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(u)), u.Whole)
}

// Instead says of a symbol that is not allowed why, or what may be used of its
// package.
func (u Uses) Instead(imported, symbol string) lang.Text {
	if Products().Allows(imported, symbol) {
		return lang.T("it is a finished matrix product, and this step is to write one; " +
			"use your own MatMul, and kernel.Best() for its innermost loops")
	}
	if Beneath().Allows(imported, symbol) {
		return lang.T("it lies under the products of all steps, where they are exchanged and counted; " +
			"call the product that you mean")
	}
	whose, prefix := path.Base(imported), ""
	if of, _, ok := strings.Cut(symbol, "."); ok {
		whose, prefix = whose+"."+of, of+"."
	}
	var names []string
	for _, s := range u[imported] {
		if name, ok := strings.CutPrefix(s, prefix); ok && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return lang.T("of %s this step may use nothing", whose)
	}
	return lang.T("of %s this step may use %s", whose, strings.Join(names, ", "))
}

// Vectors are the tensors, and the general operations on vectors and matrices.
func Vectors() Uses {
	return Uses{
		kernelPath: words(`Add AddConst Axpby Axpy Best Copy Div Dot Exp MatVec Max Micros Mul MulAdd Scale ScaleTo
			Sigmoid Sqrt Sum SumSquares Transpose
			Matrix Matrix.Cols Matrix.Data Matrix.Down Matrix.Right Matrix.Rows
			Micro Micro.MR Micro.NR Micro.Name Micro.Tile`),
		tensorPath: words(`Any CheckLead CheckShape Copy From Lead New NewParam Product Reuse ReuseLead ShapeString TODO
			IndexError IndexError.Error IndexError.Got IndexError.Limit IndexError.Op
			Matrix Matrix.At Matrix.Block Matrix.Cols Matrix.Data Matrix.Down Matrix.Right Matrix.Rows Matrix.Set Matrix.T
			NotImplemented NotImplemented.Error NotImplemented.What
			Param Param.Grad Param.Name Param.Replica Param.Slice Param.Value Param.ZeroGrad
			ShapeError ShapeError.Error ShapeError.Got ShapeError.Op ShapeError.Want
			Tensor Tensor.At Tensor.Clone Tensor.Data Tensor.Dim Tensor.Fill Tensor.Lead Tensor.Len Tensor.Matrices
			Tensor.Matrix Tensor.MatrixAt Tensor.Reshape Tensor.Row Tensor.Rows Tensor.SameShape Tensor.Set Tensor.Shape
			Tensor.Slice Tensor.SliceRows Tensor.String Tensor.Zero`),
	}
}

// Products are the finished matrix products.
func Products() Uses {
	return Uses{
		kernelPath: words(`BestBF16 Gemm GemmBF16 GemmSerial Micro.Gemm`),
		tensorPath: words(`Mul MulAdd ProductBF16`),
	}
}

// Beneath is what exchanges and watches the products under all steps. It belongs to those
// who put steps together and measure them, and to no step: what stands there is asked by
// every layer of the program, and counted.
func Beneath() Uses {
	return Uses{kernelPath: words(`WatchProducts`), tensorPath: words(`UseProduct`)}
}

// Integers are the products of whole numbers of 8 bits.
func Integers() Uses {
	return Uses{kernelPath: words(`Int8s Int8s.Group Int8s.Q Int8s.Scale MatVecInt8`)}
}

// Files are for a step whose task is to read and write them.
func Files() Uses {
	return Uses{
		"os": words(`Create CreateTemp DirEntry ErrClosed ErrExist ErrInvalid ErrNotExist ErrPermission FileInfo FileMode
			Getpagesize IsExist IsNotExist IsPermission LinkError LinkError.* Lstat Mkdir MkdirAll MkdirTemp ModeDir ModePerm
			O_APPEND O_CREATE O_EXCL O_RDONLY O_RDWR O_SYNC O_TRUNC O_WRONLY Open OpenFile PathError PathSeparator
			ReadDir ReadFile Remove RemoveAll Rename SameFile Stat TempDir Truncate WriteFile
			File.Chmod File.Read File.ReadAt File.ReadDir File.ReadFrom File.Readdir File.Readdirnames File.Seek File.Stat
			File.Truncate File.WriteAt File.WriteTo`),
		"path/filepath": {"*"},
		tensorPath:      words(`MapUint16 Uint16s Uint16s.At Uint16s.Close Uint16s.Len`),
	}
}

func words(s string) []string { return strings.Fields(s) }
