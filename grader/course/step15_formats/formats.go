// Package formats says how step 15 is checked; what its functions look like says
// fixtures/step15_formats/functions.txt.
package formats

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step15", Name: "formats", Folder: "step15_formats", Track: course.SmallNumbers,
		Title:     "Numbers in 16, 8 and 4 bits",
		Place:     course.Place{In: "step02", Names: []string{"Linear", "New"}, Generates: true},
		Uses:      course.Join(course.Computing(), course.Vectors(), course.Integers()),
		Functions: fixtures.Contract("step15_formats"),
		Checks:    checks(),
		Inside:    []string{"int8.again"},
		Hints:     hints(),
	}
}

func checks() []course.Check {
	return []course.Check{
		{ID: "bf16.round", Title: "float32 to bfloat16 agrees with PyTorch, beside every code and for any bits", Points: 10,
			Run: course.All(course.Agrees("bf16.round"), course.AgreesExactly("bf16.round", boundaries(0x7f80, 16)))},
		{ID: "bf16.value", Title: "all 65,536 bfloat16s stand for the right number", Points: 6,
			Run: course.All(course.Agrees("bf16.value"), course.AgreesExactly("bf16.value", allCodes))},
		{ID: "bf16.dot", Title: "a sum of products with bfloat16s is kept in float32", Points: 6,
			Run: course.All(course.Agrees("bf16.dot"), course.AgreesFresh("bf16.dot", drawDotBF16))},
		{ID: "fp16.round", Title: "float32 to float16 agrees with PyTorch, beside every code and for any bits", Points: 12,
			Run: course.All(course.Agrees("fp16.round"), course.AgreesExactly("fp16.round", boundaries(0x7c00, 13)))},
		{ID: "fp16.value", Title: "all 65,536 float16s stand for the right number", Points: 6,
			Run: course.All(course.Agrees("fp16.value"), course.AgreesExactly("fp16.value", allCodes))},
		{ID: "int8.quantize", Title: "groups of int8 and their scales are right to the last bit", Points: 10,
			Run: course.All(course.Agrees("int8.quantize"), course.AgreesExactly("int8.quantize", drawInt8), course.AgreesExactly("int8.quantize", drawTies),
				course.AgreesExactly("int8.quantize", drawHalves8))},
		{ID: "int8.value", Title: "groups of int8 stand for the right numbers", Points: 4,
			Run: course.All(course.Agrees("int8.value"), course.AgreesExactly("int8.value", drawValues8))},
		{ID: "int8.dot", Title: "a dot product of int8s is a whole number of 32 bits", Points: 4,
			Run: course.All(course.Agrees("int8.dot"), course.AgreesExactly("int8.dot", drawDotInt8), course.AgreesExactly("int8.dot", drawLongDot), course.AgreesExactly("int8.dot", drawLowestDot))},
		{ID: "int8.linear", Title: "the layer in int8 agrees with its definition; an empty batch is fine", Points: 8,
			Run: course.All(course.Agrees("int8.linear"), course.AgreesFresh("int8.linear", drawLinear8), course.AgreesOn("int8.linear", emptyLinear8()),
				course.AgreesExactly("int8.linear", groupsOfOne), course.Beyond("int8.linear", layerOf(70, 9, 5, 4), layerOf(2, 64*67+3, 3, 64), layerOf(1, 3, 1031, 2)))},
		{ID: "int8.again", Title: "one layer, asked again and again with other sizes, answers as if it were new, and makes integers of its weight once", Points: 5, Timed: true,
			Run: course.All(sameWeights, course.AtOnce(course.Drawing{Function: "int8.linear", Draw: drawLinear8}, course.Drawing{Function: "int4.linear", Draw: drawLinear4}), onceOnly("int8.linear"), onceOnly("int4.linear"), beside)},
		{ID: "int4.quantize", Title: "groups of int4, two to a byte, are right to the last bit", Points: 8,
			Run: course.All(course.Agrees("int4.quantize"), course.AgreesExactly("int4.quantize", drawInt4), course.AgreesExactly("int4.quantize", drawHalves4))},
		{ID: "int4.value", Title: "groups of int4 stand for the right numbers", Points: 4,
			Run: course.All(course.Agrees("int4.value"), course.AgreesExactly("int4.value", drawValues4))},
		{ID: "int4.linear", Title: "the layer in int4 agrees with its definition", Points: 4,
			Run: course.All(course.Agrees("int4.linear"), course.AgreesFresh("int4.linear", drawLinear4), course.Beyond("int4.linear", layerOf(70, 9, 5, 0), layerOf(2, 32*67+5, 3, 0), layerOf(1, 3, 1031, 0)))},
		{ID: "bad_input", Title: "lengths that differ, groups of nothing and what is no matrix are refused", Points: 3, Run: course.All(refused()...)},
		{ID: "shrink", Title: "the matrices of a model in every format, and how many bytes they take; gains stay, and so does a NaN", Points: 4, Run: course.All(shrunk()...)},
		{ID: "master.run", Title: "float32 originals learn from float16 gradients of a scaled loss", Points: 6,
			Run: course.All(course.Agrees("master.run"), learnsFresh(drawMaster), learnsFresh(drawSmall))},
	}
}
