// Package book is the state of one cluster: which jobs wait, which run and
// where, what is idle, what is promised.
//
// It decides nothing. The cluster writes it; policies read it through a
// [View], which is a window and not a copy, and change it only through a
// [Draft], which checks every line as it is written. The book is kept in the
// order in which policies ask (waiting by rank and width, running by expected
// end, idle processors by number), so that the cost of an event does not grow
// with the cluster or with the queue. Progress is computed from (left, speed,
// since) when somebody asks; nothing ticks.
//
// A job can also be in it that only keeps its place (reserve.go), and the book
// can be written down and opened again (state.go, restore.go).
//
// Read view.go first: it is all a policy can know.
package book
