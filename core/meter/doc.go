// Package meter turns what nodes measure into work: how far a task is, which of
// its parts it is with, whether it has had its estimate, and whether that is news
// to a market that reckoned with something else.
//
// Nodes measure processor time: what a task used, and what it could have had and
// declined. A second of a whole processor is the node's speed of work; a program
// with threads has used its processors equally. A measurement differs a little
// from what was granted; only what differs by more than measuring does is news.
// Everything here is a function of what was measured and what was reckoned, and
// asking changes nothing: only [Task.Observe], [Task.Cut] and the like write, and
// they are called by commands alone, so the log gives the same again.
package meter
