package main

import "github.com/spf13/cobra"

// instructorCommands are for those who teach with the course or work on it. A
// student edition has another instructor.go, with none.
func instructorCommands() []*cobra.Command {
	return []*cobra.Command{newDev(), newRelease(), newClass(), newLikeness(), newQuiz(), newSlides(), newTimes()}
}

// suit leaves the commands as they are: all that they speak of is there.
func suit(*cobra.Command) {}
