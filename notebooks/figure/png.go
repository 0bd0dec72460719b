package figure

import (
	"cmp"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"slices"
)

// encode writes a picture as a PNG file with a palette of 256 colours: the
// pictures are few colours and the steps between them, and files that are kept
// in a repository should be small.
func encode(file io.Writer, img image.Image) error {
	const step = 4 // colours that differ by less count as one
	bounds := img.Bounds()
	rough := func(x, y int) color.RGBA {
		r, g, b, _ := img.At(x, y).RGBA()
		round := func(v uint32) uint8 { return uint8(min((int(v>>8)+step/2)/step*step, 255)) }
		return color.RGBA{round(r), round(g), round(b), 255}
	}
	counts := map[color.RGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[rough(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		number := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
		return cmp.Or(counts[b]-counts[a], number(b)-number(a))
	})
	palette, index := color.Palette{}, map[color.RGBA]uint8{}
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.SetColorIndex(x, y, index[rough(x, y)])
		}
	}
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(file, out)
}
