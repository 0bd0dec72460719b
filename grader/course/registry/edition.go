package registry

import "github.com/stubformer/stubformer/grader/course"

// Steps returns the course, every step after those that it needs. An edition with
// fewer steps has another edition.go.
func Steps() []*course.Step { return course.Sorted(everyStep()) }
