// Package table reads strict CSV tables: a header line, columns in any order,
// every one of them known and some needed, and errors that say file, line and
// column.
//
// Every small table that people write for Libra (node failures, sites,
// applications, lists of jobs) is read through it, so that all of them refuse
// the same mistakes in the same words. Workloads, which have millions of
// lines, have a reader of their own in package workload.
package table
