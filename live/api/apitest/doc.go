// Package apitest is a market and a set of tokens for tests of what speaks to
// one through package api: plain maps, no clock, no prices worth the name.
//
// What a job of this market is asked to be, it is: its name says whether it is
// refused ([RefusePrefix]), and a test sets the rest. Read market.go first.
package apitest
