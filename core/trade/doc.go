// Package trade is the words of a live market: what people, owners and nodes ask of
// it (Command, Request), and what they are told (Outcome, Job, Quote, Refusal,
// Receipt and the views).
//
// It decides nothing and keeps nothing. What can be said of a request by itself is
// here: whether it makes sense (Validate), what it is to the core (Asked), how it
// goes with a quote (Merge). Everything else is asked of an exchange. The wire form
// is another package (client/v1), and so is what is written down (journal).
//
// Read request.go and job.go first, then command.go.
package trade
