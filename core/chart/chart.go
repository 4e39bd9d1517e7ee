package chart

import "math"

// Lines is a line chart: one or several series over a common axis.
type Lines struct {
	Title    string
	Subtitle string // what is measured, from how many seeds
	Source   string // where the data come from, in small print
	X, Y     Axis
	Series   []Series
	Marks    []Mark
	// MarkKey explains what the marks are, once: "stated in the paper".
	MarkKey string
}

// Axis is one direction of a chart.
type Axis struct {
	Label string // with its unit: "Job QoS satisfaction, %"
	Log   bool   // logarithmic; values of 0 and less are gaps
	Zero  bool   // zero is on the axis, whatever the data
}

// Series is one line.
type Series struct {
	Name   string
	Points []Point
	// Muted draws the series as something to compare with: thin, dashed and
	// without a band.
	Muted bool
	// Hue is the colour and marker to use, from 1; 0: by the place of the series.
	Hue int
}

// Point is a value with its confidence interval. A Y that is not a finite
// number is a gap in the line; so is Low or High in the band.
type Point struct{ X, Y, Low, High float64 }

// Mark is a single value beside the data, with a text: what a paper states.
type Mark struct {
	X, Y   float64
	Text   string
	Series int // the series it belongs to; -1: none
}

// Bars is a chart of grouped bars, for a table of numbers.
type Bars struct {
	Title    string
	Subtitle string
	Source   string
	Y        Axis
	Groups   []string // under each group of bars; "\n" starts a new line
	Series   []BarSeries
	// ValueKey and MarkKey head the two rows of numbers under the bars.
	ValueKey, MarkKey string
}

// BarSeries is one bar in every group.
type BarSeries struct {
	Name string
	Bars []Bar // one per group
}

// Bar is a value with its range and, where there is one, a mark to compare it
// with; what is not a finite number is left out.
type Bar struct{ Y, Low, High, Mark float64 }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
