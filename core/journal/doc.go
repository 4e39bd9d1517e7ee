// Package journal is what is written down of a live market, and nothing that decides:
// the steps of its cluster ([Step]), what each command made true ([Facts]), all of it
// at one time ([Snapshot]), and what recovery builds of these ([Image]).
//
// A reader of an old log needs no market. The readers of older forms stay (form1.go).
//
// Read facts.go first.
package journal
