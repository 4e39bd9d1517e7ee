// Package v1 is the wire form, version 1: every body that the HTTP API of a market
// takes or gives, as plain structs, and the closed sets of words in them.
//
// It depends on the standard library alone, so whoever speaks to a market from Go
// imports this and package client and nothing else of the program. Names on the
// wire say their units (`_us` unix microseconds, `_ms` milliseconds, `_micros`
// micro-units of money). Fields may be added; none is renamed, and none changes
// its meaning: that would be another version, beside this one. What the market
// itself reckons with is core/exchange; package live/wire maps between the two, and
// its tests hold them to the same bytes.
//
// It decides nothing and checks nothing: whether a request makes sense is for the
// market to say. Read request.go first, then job.go.
package v1
