// Package webtest is what tests of the pages stand on: a real market on a store
// of its own whose nodes are played ([Floor]), and a real browser ([Chrome]).
//
// The market is the controller and SQLite as they are; only the machines are
// missing, so no test needs root. The browser is the Chromium of the system,
// driven through the pipe of its debugging protocol. Read floor.go first.
package webtest
