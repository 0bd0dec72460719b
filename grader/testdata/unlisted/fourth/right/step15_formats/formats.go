//go:build unlisted

package formats

import (
	"math"
	"sort"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// found-by-halving: both roundings search the codes of one sign, which are in the order of their numbers, and compare the distances in float64; Float32 works with powers of two
//
// Why: differences of two float32 numbers of about the same size are exact in float64, infinity takes the place of 2¹²⁸ and of 65536, and of equal distances the even code wins.
func RoundBF16(x float32) BF16 {
	if math.IsNaN(float64(x)) {
		return 0x7fc1
	}
	sign := BF16(0)
	if math.Signbit(float64(x)) {
		sign, x = 0x8000, -x
	}
	return sign | BF16(nearest(float64(x), 0x7f80, math.Ldexp(1, 128), func(code int) float64 { return float64(BF16(code).Float32()) }))
}

func RoundFP16(x float32) FP16 {
	if math.IsNaN(float64(x)) {
		return 0x7f01
	}
	sign := FP16(0)
	if math.Signbit(float64(x)) {
		sign, x = 0x8000, -x
	}
	return sign | FP16(nearest(float64(x), 0x7c00, 65536, func(code int) float64 { return float64(FP16(code).Float32()) }))
}

func nearest(x float64, infinite int, limit float64, number func(code int) float64) int {
	if x >= limit {
		return infinite
	}
	value := func(code int) float64 {
		if code == infinite {
			return limit
		}
		return number(code)
	}
	above := sort.Search(infinite, func(code int) bool { return value(code) >= x })
	if above == 0 || value(above) == x {
		return above
	}
	up, down := value(above)-x, x-value(above-1)
	if up < down || up == down && above%2 == 0 {
		return above
	}
	return above - 1
}

func (h FP16) Float32() float32 {
	exponent, mantissa := int(h>>10&31), float64(h&1023)
	size := math.Ldexp(mantissa, -24)
	switch {
	case exponent == 31 && mantissa > 0:
		return float32(math.NaN())
	case exponent == 31:
		size = math.Inf(1)
	case exponent > 0:
		size = math.Ldexp(1024+mantissa, exponent-25)
	}
	if h >= 0x8000 {
		size = math.Copysign(size, -1)
	}
	return float32(size)
}

// rows-in-goroutines: Forward works on every row of x in a goroutine, with integers made for that row alone and plain sums for every layer; QuantizeInt8 fills new slices by index and gives them to dst
//
// Why: rows have nothing to do with each other, an int64 sum is that of an int32, and what dst held is gone.
func (*Linear) Forward() {
	if right {
		l.x8 = QuantizeInt8(l.x8, x, l.group)
		l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			if l.product != nil {
				l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
				continue
			}
			for i := range row {
				row[i] = dotGroups(l.x8, n, l.w8, i)
			}
		}
		return l.y
	} else {
		l.y = tensor.ReuseLead(nil, x.Lead(1), W.Dim(0))
		var all sync.WaitGroup
		for n := range x.Rows() {
			all.Go(func() {
				x8 := QuantizeInt8(nil, tensor.From(x.Row(n), W.Dim(1)), l.group)
				for i := range l.y.Row(n) {
					l.y.Row(n)[i] = dotGroups(x8, 0, l.w8, i)
				}
			})
		}
		all.Wait()
		return l.y
	}
}

func DotInt8(a, b []int8) int32 {
	if len(a) != len(b) {
		panic(tensor.ShapeError{Op: "DotInt8: b", Got: []int{len(b)}, Want: []int{len(a)}})
	}
	if len(a) > 64 {
		half := len(a) / 2
		return DotInt8(a[:half], b[:half]) + DotInt8(a[half:], b[half:])
	}
	sum := int64(0)
	for i := len(a) - 1; i >= 0; i-- {
		sum += int64(a[i]) * int64(b[i])
	}
	return int32(sum)
}

func QuantizeInt8(dst *Int8, x *tensor.Tensor, group int) *Int8 {
	tensor.CheckShape("QuantizeInt8: x", x, tensor.Lead, tensor.Any)
	if group < 1 {
		panic(tensor.ShapeError{Op: "QuantizeInt8: the group must be positive", Got: []int{group}})
	}
	m := Int8{Rows: x.Rows(), Cols: x.Dim(-1), Group: group}
	m.Q, m.Scale = make([]int8, m.Rows*m.Cols), make([]float32, m.Rows*m.Groups())
	for n := range m.Rows {
		largest := make([]float32, m.Groups())
		for i, v := range x.Row(n) {
			largest[i/group] = float32(math.Max(float64(largest[i/group]), math.Abs(float64(v))))
		}
		for g, v := range largest {
			m.Scale[n*m.Groups()+g] = v / 127
		}
		for i, v := range x.Row(n) {
			s := m.Scale[n*m.Groups()+i/group]
			if s == 0 {
				continue
			}
			q := v / s
			switch {
			case q >= 126.5:
				m.Q[n*m.Cols+i] = 127
			case q <= -126.5:
				m.Q[n*m.Cols+i] = -127
			default:
				m.Q[n*m.Cols+i] = int8(math.Copysign(math.Floor(math.Abs(float64(q))+0.5), float64(q)))
			}
		}
	}
	if dst == nil {
		return &m
	}
	*dst = m
	return dst
}
