package main

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/studio/update"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newUpdate() *cobra.Command {
	return &cobra.Command{
		Use: "update DIR",
		Long: `Update brings a newer kit, unpacked in DIR, into this one. The kit's own files are
replaced. A stub that you have filled in is merged with the new stub, line by
line; where both changed the same lines, both versions are left standing between
markers for you to choose. Every file that changes is copied first, and a file
of your own stays.`,
		Example: `  go run ./cmd/grade update ../stubformer-0.2`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			copies := filepath.Join(".stubformer", "backup", time.Now().Format("2006-01-02T15-04-05.000")+"-update")
			u, err := update.Plan(cmd.Context(), kit, args[0], filepath.Join(kit.Root, copies))
			if err != nil {
				return command.Failed(err)
			}
			defer u.Close()
			return carryOut(cmd, u, copies)
		},
	}
}

// carryOut says what stays, carries the update out and says what has happened.
func carryOut(cmd *cobra.Command, u *update.Update, copies string) error {
	w := cmd.OutOrStdout()
	if u.Interrupted {
		command.Speaker(cmd).Tell(w, "An update was interrupted before this one, which begins again where your files were.\n")
	}
	for _, c := range u.Changes {
		if c.State == update.Stays {
			command.Speaker(cmd).Tell(w, "%s: the newer kit has no such file; it stays, since it may be yours (if you did not write it, remove it)\n", c.File)
		}
	}
	var saved *update.SavedError
	switch err := u.CarryOut(); {
	case errors.As(err, &saved):
		return command.StatusError{Code: command.ExitWrong, Err: err}
	case err != nil:
		return command.Failed(err)
	}
	return sayUpdate(cmd, u.Changes, copies)
}

// sayUpdate says what happened to the student's files. Conflicts are exit
// status 1: something is left to do.
func sayUpdate(cmd *cobra.Command, changes []update.Change, copies string) error {
	w, open := cmd.OutOrStdout(), 0
	for _, c := range changes {
		switch c.State {
		case update.Renewed:
			command.Speaker(cmd).Tell(w, "%s: the new one\n", c.File)
		case update.Merged:
			command.Speaker(cmd).Tell(w, "%s: your changes and the new stub are merged\n", c.File)
		case update.Conflict:
			open++
			command.Speaker(cmd).Tell(w, "%s: you and the new stub changed the same lines; look for <<<<<<< and choose\n", c.File)
		case update.Beside:
			open++
			command.Speaker(cmd).Tell(w, "%s: git is not installed, so it is as it was; the new stub is in %s.new\n", c.File, c.File)
		case update.Removed:
			command.Speaker(cmd).Tell(w, "%s: you had removed it; it was not put back\n", c.File)
		case update.Replaced:
			command.Speaker(cmd).Tell(w, "%s: you had changed it; the new one of the kit is in its place, and yours among the copies\n", c.File)
		}
	}
	command.Speaker(cmd).Tell(w, "The kit is up to date. Copies of all files that changed are in %s\n", copies)
	if open > 0 {
		return command.StatusError{Code: command.ExitWrong, Err: lang.Errorf("%d file(s) are left for you to settle", open)}
	}
	return nil
}
