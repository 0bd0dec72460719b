// Package quiz makes question sheets and their keys: banks of questions about the
// lessons, with numbers that are drawn anew for every seed.
//
// A bank is a Markdown file, banks/stepNN_x.md:
//
//	# Step 05: SwiGLU
//
//	## 1. A gate by hand
//	Kind: numbers
//	Points: 5
//	Numbers: swiglu.forward
//
//	Compute y for x = {{x}}.
//
//	Rubric:
//
//	- 3: the gate
//	- 2: y
//	- Wrong: the activation on W3's product (at most 2)
//
//	Answer:
//
//	y = {{y}}
//
// Kind is derivation, numbers, break ("what would break if"), oral or explain. The
// points of the rubric add up to those of the question; what is marked Wrong is a
// common wrong answer. Numbers names the function that draws the placeholders; all of
// them are in draws. {{x}} is a value, {{(x)}} the same in parentheses if it is
// negative, and {{+x}} with its sign set apart: "+ 2" or "− 2". A matrix takes several
// lines, beside which the rest of its line stands at the top. An item of the rubric
// that goes on in the next line is indented by two spaces there.
package quiz
