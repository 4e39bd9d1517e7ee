// Package audit holds the books of a live market against the jobs that they are
// about, from outside: by transactions and receipts alone.
package audit
