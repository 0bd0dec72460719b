package sandbox

import (
	"io/fs"
	"path/filepath"
	"time"
)

// watchEvery is how often Watch looks.
const watchEvery = 100 * time.Millisecond

// Watch looks from time to time at how much the folders of Write hold, and calls
// full, once, when it is more than Disk. The caller calls stop when the command
// has ended; Watch does not look any more when stop has come back.
func (p Policy) Watch(full func()) (stop func()) {
	if p.Disk == 0 {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
			}
			if p.written(end) > p.Disk {
				full()
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// written returns how many bytes the folders of Write hold, as far as they can
// be seen until the end; a file of which parts were never written counts whole.
func (p Policy) written(end <-chan struct{}) int64 {
	var sum int64
	for _, dir := range p.Write {
		filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			select {
			case <-end:
				return fs.SkipAll
			default:
			}
			if err != nil {
				return nil // it has just been removed, or is not to be seen
			}
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
			return nil
		})
	}
	return sum
}
