// Package kernel is the arithmetic under the whole course: the single-precision matrix product and the vector
// functions that a Transformer spends its time in.
//
// # What is here
//
//	Gemm, GemmSerial    C = A·B, with or without adding to C, A and B transposed or not
//	GemmBF16            the same of numbers rounded to bfloat16, with float32 sums
//	Micro               the tile of C that lives in registers, for those who write the loops around it themselves
//	Copy, Transpose     the packing of operands
//	MatVec              a matrix times a vector, for one token
//	MatVecInt8          the same in whole numbers of 8 bits
//	Exp, Sigmoid, Sqrt  functions of every element, Exp and Sigmoid accurate to about one unit in the last place
//	Add, Mul, Div, MulAdd
//	                    two vectors, element by element
//	Scale, ScaleTo, AddConst, Axpy, Axpby
//	                    vectors and numbers
//	Dot, Sum, Max       one number for a vector, and SumSquares in float64
//
// All of it is general. No function here is a layer, a derivative or an optimiser of the course: those are made of these.
//
// # How it is built
//
// Portable Go is always compiled and is correct everywhere. Beside it stand assembly versions for amd64 (AVX2 with FMA,
// and AVX-512) and arm64 (NEON, for the matrix product only). The processor is asked at run time which of them it can
// run. Nothing needs GOEXPERIMENT.
//
// All matrices are row-major with an explicit row stride, as in BLAS; Gemm takes them as values of Matrix. Nothing here allocates once its work buffers exist.
//
// # The matrix product in five sentences
//
// A tile of C, for instance 14 rows by 32 columns, is kept in registers while the whole inner dimension passes by; each
// step loads one row of B and multiplies it by one value from each row of A. A strip is one row of such tiles: its rows
// of A stay in the first-level cache while the columns of B stream past. The inner dimension is cut into blocks of at
// most 384 and the columns into blocks of at most 512, so that the block of B fits the second-level cache. Where the
// caller's layout would waste cache lines, the block is first copied ("packed") into the order in which it is read. See
// Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008.
//
// A few rows times a transposed matrix, some tokens times a layer's weights, go other ways (fewRows in product.go): packing
// B would be most of the work. They are dot products, or computed as the transpose of B·Aᵀ, in which B is read where it lies.
//
// # Order of summation
//
// Every element of C is summed over k in increasing order, in blocks that depend on k alone. The result is therefore the
// same, bit for bit, for any number of workers, with and without packing, and for every position of a tile. It may
// differ in the last bits between processors with different instruction sets.
package kernel
