package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/quiz"
	"github.com/stubformer/stubformer/grader/course"
)

// A new step has no questions yet: it is named, and a sheet without any is an error.
func TestStepsWithoutQuestions(t *testing.T) {
	steps := []*course.Step{{ID: "step01", Folder: "step01_a"}, {ID: "step02", Folder: "step02_b"}}
	banks := map[string][]quiz.Question{"step02_b": {{Title: "one"}, {Title: "two"}}}
	all, without, err := questionsOf(steps, banks)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []string{"step01"}, without)
	_, _, err = questionsOf(steps[:1], banks)
	require.EqualError(t, err, "there are no questions yet about step01; there are some about step02_b")
}
