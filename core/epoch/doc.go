// Package epoch is under which policy, settings and prices a live market stands: what
// an owner chooses, checked and named in full.
//
// Read choice.go first; formula.go says in one line how a price comes about there.
//
// What has been agreed under one epoch is billed by its rules, whatever comes after.
package epoch
