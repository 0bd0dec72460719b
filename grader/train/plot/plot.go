// Package plot draws the losses of a training run as an SVG picture.
package plot

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"

	"github.com/stubformer/stubformer/grader/train/run"
)

// Size of the picture and of the margins around the plot, in pixels.
const (
	width, height            = 800, 480
	left, right, top, bottom = 64, 150, 40, 48
)

// Draw draws the loss of every step, smoothed, and the validation losses. floor
// is a line that no model can cross; 0 draws none. The losses are on a
// logarithmic axis, so that the last steps towards the floor can be seen.
func Draw(title string, steps []run.Step, floor float64) ([]byte, error) {
	var training, validation []point
	mean := 0.0
	for _, s := range steps {
		if s.Loss > 0 {
			if mean == 0 {
				mean = s.Loss
			}
			const inertia = 0.95 // of the running mean
			mean = inertia*mean + (1-inertia)*s.Loss
			training = append(training, point{float64(s.Step), mean})
		}
		if s.ValidationLoss > 0 {
			validation = append(validation, point{float64(s.Step), s.ValidationLoss})
		}
	}
	if len(training) == 0 {
		return nil, errors.New("the log holds no steps yet; there is nothing to draw")
	}
	f := newFrame(floor, training, validation)
	f.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	f.printf(`<rect width="100%%" height="100%%" fill="white"/>` + "\n")
	f.printf(`<text x="%d" y="24" font-size="15">%s</text>`+"\n", left, html.EscapeString(title))
	f.axes()
	f.line(training, "#1f77b4", "", "training loss")
	f.line(validation, "#d62728", "", "validation loss")
	if floor > 0 {
		f.line([]point{{0, floor}, {f.maxX, floor}}, "#2c7a2c", "6 4", fmt.Sprintf("floor %.4f", floor))
	}
	f.printf("</svg>\n")
	return f.out.Bytes(), nil
}

type point struct{ x, y float64 }

// frame maps steps and losses to pixels.
type frame struct {
	out        bytes.Buffer
	maxX       float64
	minY, maxY float64   // > 0
	labels     []float64 // where labels stand on the right, in pixels from the top
}

func newFrame(floor float64, lines ...[]point) *frame {
	f := &frame{maxX: 1, minY: math.Inf(1)}
	if floor > 0 {
		f.minY = floor
	}
	for _, line := range lines {
		for _, p := range line {
			f.maxX, f.minY, f.maxY = max(f.maxX, p.x), min(f.minY, p.y), max(f.maxY, p.y)
		}
	}
	const room = 1.2 // below and above
	f.minY, f.maxY = f.minY/room, f.maxY*room
	return f
}

func (f *frame) printf(format string, args ...any) { fmt.Fprintf(&f.out, format, args...) }

func (f *frame) at(p point) (x, y float64) {
	up := math.Log(p.y/f.minY) / math.Log(f.maxY/f.minY) // from 0 to 1
	return left + p.x/f.maxX*(width-left-right), height - bottom - up*(height-top-bottom)
}

// axes draws the grid and its numbers.
func (f *frame) axes() {
	for _, y := range powers(f.minY, f.maxY) {
		_, py := f.at(point{0, y})
		f.printf(`<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.3g</text>`+"\n",
			left, py, width-right, left-8, py+4, y)
	}
	for _, x := range ticks(f.maxX) {
		px, _ := f.at(point{x, f.minY})
		f.printf(`<path d="M%.1f %dV%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n",
			px, top, height-bottom, px, height-bottom+18, x)
	}
	f.printf(`<text x="%d" y="%d" text-anchor="middle">step</text>`+"\n", (left+width-right)/2, height-12)
	f.printf(`<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">nats per character</text>`+"\n", (top+height-bottom)/2)
}

// ticks returns round numbers from 0 to about limit.
func ticks(limit float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(limit)))
	for limit/step < 4 {
		step /= 2
	}
	var out []float64
	for i := 0; float64(i)*step <= limit; i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// powers returns 1, 2 and 5 times powers of ten between two limits.
func powers(low, high float64) []float64 {
	var out []float64
	for e := math.Floor(math.Log10(low)); math.Pow(10, e) <= high; e++ {
		for _, n := range []float64{1, 2, 5} {
			if y := n * math.Pow(10, e); y >= low && y <= high {
				out = append(out, y)
			}
		}
	}
	return out
}

// line draws points as a line, with its name at the last one.
func (f *frame) line(points []point, colour, dashes, name string) {
	if len(points) == 0 {
		return
	}
	var y float64
	f.printf(`<polyline fill="none" stroke="%s" stroke-width="1.6" stroke-dasharray="%s" points="`, colour, dashes)
	for _, p := range points {
		var x float64
		x, y = f.at(p)
		f.printf("%.1f,%.1f ", x, y)
	}
	for _, taken := range f.labels {
		const apart = 15
		if math.Abs(y-taken) < apart {
			y = taken + apart
		}
	}
	f.labels = append(f.labels, y)
	f.printf(`"/><text x="%d" y="%.1f" fill="%s">%s</text>`+"\n", width-right+8, y+4, colour, name)
}
