package formats

import "github.com/stubformer/stubformer/reference/tensor"

// Shrink gives every matrix among the parameters the values that it has after it was
// stored in a format and read back: f32, bf16, fp16, int8 (in groups of 64) or int4.
// They are written into the Value that is there: others may hold it too. Everything
// else, the gains of the norms, stays as it is: they are few, and each is a factor of
// a whole column. It returns how many bytes all parameters take then:
//
//	f32                      4 a number
//	bf16, fp16               2 a number of a matrix
//	int8                     1 a number of a matrix, and 4 a group
//	int4                     16 + 4 a group, a short one too
//
// Gains are float32. It is an error to name another format, which the error then
// names; nothing has changed:
//
//	fmt.Errorf("there is no format %q; want f32, bf16, fp16, int8 or int4", format)
func Shrink(params []*tensor.Param, format string) (bytes int, err error) {
	panic(tensor.TODO("step15: Shrink"))
}
