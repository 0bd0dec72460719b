// Package verdict compares what a program returned with what was expected, and
// says what it found in words: where the values are wrong, by how much, and, if
// one simple structure explains every wrong value, which one.
//
// The way through it: Compare returns a Difference or nil; Wrong makes of it
// the Failure of a check, with a diagnosis; Failure.Text is what a person
// reads. A wrong explanation is worse than none: whatever does not hold for
// every element, or is not the only explanation, is not offered.
package verdict
