// Package broker is the one door to several live markets: a [Broker] is an
// api.Market over the markets of other clusters, so whoever can speak to one
// cluster can speak to all of them at once.
//
// It decides where a job goes: every cluster is asked for a binding quote at the
// same time and within a time limit, the best by the user's objective is taken, a
// refusal goes to the next (004, figure 1). It remembers what it has handed to
// whom, follows it there, and keeps a record of each cluster: who is slow, gone
// or lies is left out for a while. It never schedules, prices, bills or holds
// money, and never runs a job in two places unless its user said it may. (The
// simulated grid of 003 chooses by what the seller gains: that is lab/tender.)
//
// What is about to be done is written down before it is done. A cluster whose
// answer was lost may have the job or not, so nobody else is asked until it has
// said which: the same request goes to it again under the same idempotency key.
//
// It speaks the wire form (client/v1) on both sides, and what it writes down of a
// job is that form too: what a cluster said of it, which no change of this
// program's own types can make unreadable.
//
// What a user can say to a broker and not to a cluster is said in tags, which
// are taken out before a request goes on: wish:first, wish:gain (and wish:cheapest,
// wish:fastest), and resubmit, which allows a job that its cluster lost to be
// handed to another. The account USER/CLUSTER names a cluster to run at.
//
// Read broker.go first, then submit.go and deliver.go (a job's way), ask.go (the
// quotes), check.go and record.go (who is believed), entry.go (what is
// remembered), watch.go and learn.go (how a job is followed).
package broker
