// Package report turns a stream of records into what people read: the job
// table and the summary.
//
// Both are folds: they are shown one record after the other and never ask for
// anything else, so the same code reports on a simulated run, a live cluster
// and a log read back. Read summary.go first.
package report
