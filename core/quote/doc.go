// Package quote is the quotes that somebody may come back to ([Book]), and what to
// offer instead of a request that was refused ([Search]).
//
// It knows no prices: a search asks whoever does, and a quote is kept as it was made.
package quote
