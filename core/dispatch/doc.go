// Package dispatch turns what jobs are granted into orders for nodes: which
// program a node runs, on which of its processors, and with how much of them.
//
// A job's processors stand in order, and those of one program follow each other,
// all on one node: to that node a program is one task, which gets the sum of what
// its processors are granted. A grant is work a second; a node deals in processor
// time, and a whole processor of it does its speed of work a second (its rating is
// what it sells: a little less). All functions are pure.
package dispatch
