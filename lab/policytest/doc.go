// Package policytest is what every policy must pass: promises that hold
// whatever it decides.
//
// Run plays random small worlds, with unequal nodes, tight memory, failing
// nodes, wrong estimates and fickle users, and watches every record. A failure
// names its seed; play that alone with [One]. Some worlds are live markets, in
// which users also reserve, ask for more and over-run, and clusters are
// stopped, restored and joined by nodes. Read watch.go for the promises.
//
// It is support for tests and knows the core and its simulated driver; nothing
// outside tests imports it.
package policytest
