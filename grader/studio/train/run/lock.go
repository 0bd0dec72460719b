package run

import (
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/stubformer/stubformer/grader/lang"
)

// Lock makes sure that no other program trains in a run's folder. The system
// releases the lock when this program ends, however it ends.
func Lock(dir string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(dir, lockFile))
	taken, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !taken {
		return nil, lang.Errorf("another program is training in %s; wait until it has ended", dir)
	}
	return lock.Unlock, nil
}
