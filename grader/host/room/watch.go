package room

import "time"

// every is how often Watch looks.
const every = 100 * time.Millisecond

// Watch looks at how much room the disk of a folder has until stop is called, which says
// whether it was ever scarce.
func Watch(dir string) (stop func() (scarce bool)) {
	end, scarce := make(chan struct{}), make(chan bool)
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for short := false; ; {
			left, err := Left(dir)
			short = short || err == nil && left < Scarce
			select {
			case <-ticker.C:
			case <-end:
				scarce <- short
				return
			}
		}
	}()
	return func() bool {
		close(end)
		return <-scarce
	}
}
