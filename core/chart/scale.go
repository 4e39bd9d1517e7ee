package chart

import (
	"math"
	"strconv"
	"strings"
)

// scale maps values to pixels.
type scale struct {
	low, high float64 // of the values
	from, to  float64 // of the pixels
	log       bool
	ticks     []float64
}

// newScale makes a scale that shows all the values, with round ticks.
func newScale(axis Axis, values []float64, wanted int) scale {
	s := scale{low: math.Inf(1), high: math.Inf(-1), log: axis.Log}
	for _, v := range values {
		if s.shows(v) {
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
	if s.low > s.high { // nothing to show
		s.low, s.high = 0, 1
		if s.log {
			s.low = 0.1
		}
	}
	if axis.Zero && !s.log {
		s.low, s.high = min(s.low, 0), max(s.high, 0)
	}
	if s.low == s.high { // a constant stands in the middle
		s.low, s.high = around(s.low, s.log)
	}
	if s.log {
		s.ticks = logTicks(s.low, s.high)
	} else {
		s.ticks = linearTicks(s.low, s.high, wanted)
	}
	return s
}

// shows reports whether a value has a place on the scale. Numbers near the
// edge of their type have none: differences of them are infinite.
func (s *scale) shows(v float64) bool {
	return finite(v) && math.Abs(v) < 1e300 && (!s.log || v > 1e-300)
}

func around(x float64, log bool) (low, high float64) {
	if log {
		return x / 2, x * 2
	}
	gap := math.Abs(x) / 10
	if gap < 1e-290 {
		gap = 1
	}
	return x - gap, x + gap
}

// widen moves the ends out to the ticks around them, for an axis on which
// lines should not touch the frame.
func (s *scale) widen() {
	if s.log || len(s.ticks) < 2 {
		return
	}
	step := s.ticks[1] - s.ticks[0]
	if first := s.ticks[0]; s.low < first-step*1e-6 {
		s.ticks = append([]float64{first - step}, s.ticks...)
	}
	if last := s.ticks[len(s.ticks)-1]; s.high > last+step*1e-6 {
		s.ticks = append(s.ticks, last+step)
	}
	s.low, s.high = min(s.low, s.ticks[0]), max(s.high, s.ticks[len(s.ticks)-1])
}

// at is the pixel of a value that the scale shows.
func (s *scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return s.from + (s.to-s.from)*((v-low)/(high-low))
}

// linearTicks are multiples of 1, 2, 2.5 or 5 times a power of ten between low
// and high, about as many as wanted.
func linearTicks(low, high float64, wanted int) []float64 {
	rough := (high - low) / float64(wanted)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, nice := range []float64{1, 2, 2.5, 5} {
		if nice*power >= rough*0.999 {
			step = nice * power
			break
		}
	}
	var ticks []float64
	first := math.Ceil(low/step - 1e-9)
	for i := 0.0; i < 50; i++ {
		tick := (first + i) * step
		if tick > high+step*1e-9 {
			break
		}
		if math.Abs(tick) < step*1e-9 {
			tick = 0
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// logTicks are powers of ten, with 2 and 5 times them while there is room.
func logTicks(low, high float64) []float64 {
	first, last := int(math.Floor(math.Log10(low)+1e-9)), int(math.Ceil(math.Log10(high)-1e-9))
	between := []float64{1, 2, 5}
	every := 1
	if last-first > 4 {
		between = between[:1]
		every = (last-first)/8 + 1
	}
	var ticks []float64
	for decade := first; decade <= last; decade += every {
		for _, m := range between {
			if tick := m * math.Pow10(decade); tick >= low*0.999999 && tick <= high*1.000001 {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

// tickText writes the ticks with as many decimals as tell them apart.
func tickText(ticks []float64) []string {
	texts := make([]string, len(ticks))
	for i, t := range ticks {
		texts[i] = plainNumber(t)
	}
	return texts
}

// plainNumber writes a number for people: no exponent while there is a word
// for its size, thousands apart, a real minus sign.
func plainNumber(x float64) string {
	size, unit := math.Abs(x), ""
	switch {
	case size != 0 && (size >= 1e15 || size < 1e-6):
		return strings.Replace(strconv.FormatFloat(x, 'g', 4, 64), "-", "\u2212", 1)
	case size >= 1e12:
		size, unit = size/1e12, "T"
	case size >= 1e9:
		size, unit = size/1e9, "B"
	case size >= 1e6:
		size, unit = size/1e6, "M"
	}
	text := strconv.FormatFloat(math.Round(size*1e6)/1e6, 'f', -1, 64)
	whole, fraction, point := strings.Cut(text, ".")
	if point {
		fraction = "." + fraction
	}
	if len(whole) > 4 {
		whole = whole[:len(whole)-3] + "," + whole[len(whole)-3:]
	}
	if x < 0 {
		whole = "\u2212" + whole
	}
	return whole + fraction + unit
}
