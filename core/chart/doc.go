// Package chart draws figures as SVG: lines with confidence bands ([Lines]) and
// grouped bars ([Bars]). The experiments of the laboratory and the pages of a live
// market both draw, and share it here because neither may import the other.
//
// It decides where ink goes and nothing else: it computes no statistics, reads
// no files and has no dependency. The same data give the same bytes. Every
// drawing is readable without colour (markers, dashes, direct labels), follows
// the reader's light or dark scheme, and keeps its text clear of its data: the
// labels of series stand in a margin of their own.
//
// By hand: a library for plots would bring fonts, rasters and a dependency into the
// core, and none gives the same bytes on every machine and a dark scheme.
//
// Read chart.go first (what can be drawn), then lines.go (the order in which a
// chart is laid out). canvas.go is the only file that writes SVG.
package chart
