package exchange

import "encoding/json"

// What is asked of a market beside commands, and answered.

// Key makes a command happen once however often it is sent. The zero Key asks
// for nothing.
type Key struct {
	Owner  string `json:"owner"` // keys of different users have nothing to do with each other
	Key    string `json:"key"`
	Digest []byte `json:"digest"` // SHA-256 of what was asked
}

// Given reports whether there is a key.
func (k *Key) Given() bool { return k.Key != "" }

// JobQuery says which jobs to list. What is not set does not restrict.
type JobQuery struct {
	Owner   string
	States  []State
	Name    string // or a part of it
	Account string // or below it
	Before  int64  // only smaller numbers
	Limit   int
}

// Verified is what a check of the whole ledger found.
type Verified struct {
	Transactions int64  `json:"transactions"`
	Entries      int64  `json:"entries"`
	Head         string `json:"head"`              // hash of the last transaction
	Problem      string `json:"problem,omitempty"` // the first thing that is wrong; empty: nothing
}

// LogEntry is one record of the log as it was written.
type LogEntry struct {
	Seq  int64           `json:"seq"`
	AtUS int64           `json:"at_us"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
	Hash string          `json:"hash"` // of this record and the hash before it
}
