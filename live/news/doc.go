// Package news is the notice board of a live market: what has changed is put up
// once it is durable, and whoever follows hears of it.
//
// A [Board] keeps the latest notices for those who come back, tells those who
// missed some that they did, and lets go of whoever cannot keep up. It decides
// nothing about what is news, and never waits for a reader.
//
// Read board.go: it is all there is.
package news
