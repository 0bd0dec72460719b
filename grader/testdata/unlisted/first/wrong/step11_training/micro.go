//go:build unlisted

package training

// tile-ignores-ldc: Tile takes the rows of C to be as long as the tile
//
// Why: Tile writes its rows one after the other whatever ldc is.
func Tile() {
	if right {
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	} else {
		ldc = TileCols
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	}
}

// tile-always-adds: Tile adds to C whatever accumulate says
//
// Why: Without accumulate Tile adds to what C held, where it should be overwritten.
func Tile() {
	if right {
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	} else {
		accumulate = true
		if tile := simdTile(); tile != nil {
			tile(k, a, b, c, ldc, accumulate)
			return
		}
	}
}
