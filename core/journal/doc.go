// Package journal is what is written down of a live market: the steps of its
// cluster, with a number over all that was said.
//
// It holds plain data and decides nothing: a reader of an old log needs no market.
package journal
