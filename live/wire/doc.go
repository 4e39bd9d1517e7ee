// Package wire maps between what a market reckons with (core/exchange, core/ledger,
// core/task) and the wire form that people and their programs read (client/v1).
//
// Views go out, requests come in, and nothing is decided on the way: a map copies,
// and shares what neither side writes to. The two sides say the same bytes today;
// this package is where they may come to differ, and its tests say when they do.
// Whether a request makes sense is asked here too ([Validate]), of the one place
// that knows, which is the exchange.
//
// Read job.go first.
package wire
