package endure

import "os/exec"

// ownGroup does nothing: Windows has no process groups of this kind.
func ownGroup(*exec.Cmd) {}

// killGroup kills a command.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
