// Package archive keeps the log from growing without end: parts of it that are old,
// and that no start needs, go out of the store into files.
//
// A file has entries as they were written, one after the other, with their hashes: the
// chain of the log goes through the files and on in the store. What people ask for
// stays in the store: the rows of jobs, with their receipts, and all transactions, so
// that bills, statements and the books need no file. Only the programs of jobs that have
// ended are in the files alone.
//
// A part moves in steps, and whoever is killed between two of them has lost nothing and
// done nothing twice (mover.go): the file is written and read back, it gets its name, the
// store records it, and only then the entries leave the store, a few at a time. All that is
// written to the store is written under the lead.
//
// [Whole] and [WholePast] are a store with its files: who reads the log from them reads
// all of it.
//
// It decides nothing about the market, and knows of an entry only which jobs and
// transactions it speaks of (entry.go). Read mover.go first.
package archive
