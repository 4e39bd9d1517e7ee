// Package rules is what an owner may choose of how a market trades: what unused
// work costs, what lateness pays at most, what quotes may keep. What a job costs
// in the first place is the policy's (its settings); what is owed in the end, and
// to whom, is by these.
//
// They are settings like those of a policy: names and values, recorded in the
// epoch beside the policy's and shown on every receipt. The zero of time is
// [Papers]: what the papers say, what the laboratory reckons with, and what an
// epoch means that names none of them, as those of old logs do. [Live] is what a
// live market begins with; who opens one writes them into its first epoch.
//
// The package holds plain data and decides nothing. Read rules.go.
package rules
