package quiz

import "maps"

// draws are those who draw numbers, by the names that the banks use. Those of a step
// stand in numbersNN.go.
func draws() map[string]func(*draw) {
	all := map[string]func(*draw){}
	for _, step := range []map[string]func(*draw){
		draws01(),
		draws02(),
		draws03(),
		draws04(),
		draws05(),
		draws06(),
		draws07(),
		draws08(),
		draws09(),
		draws10(),
		draws11(),
		draws12(),
		draws13(),
		draws14(),
		draws15(),
		draws16(),
		draws17(),
		draws18(),
		draws19(),
		draws20(),
		draws21(),
		draws22(),
	} {
		maps.Copy(all, step)
	}
	return all
}
