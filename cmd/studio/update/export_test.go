package update

import "os"

// KilledAt carries an update out up to its n-th file and then kills this
// process.
func (u *Update) KilledAt(n int) error {
	stage, err := u.prepare()
	if err != nil {
		return err
	}
	for _, name := range u.order()[:n] {
		if err := u.settle(name, stage); err != nil {
			return err
		}
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Kill()
}

// Files returns how many files an update changes.
func (u *Update) Files() int { return len(u.files) }
