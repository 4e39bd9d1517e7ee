// Package front serves a controller in the wire form: what somebody asks becomes a
// command of the exchange, and what came of it, or what there is to see, becomes
// what package api and the pages hand out. Each is converted once, here.
//
// It decides nothing. Read front.go first.
package front
