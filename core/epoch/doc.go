// Package epoch is under which policy, settings and prices a live market stands: what
// an owner chooses, checked and named in full.
//
// What has been agreed under one epoch is billed by its rules, whatever comes after.
package epoch
