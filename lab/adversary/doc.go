// Package adversary asks whether it pays to cheat a market.
//
// A market is simulated whole: the very exchange of a live one, in virtual time,
// with nodes that give every task the processor time it was granted and report
// what it took, and with people. Some are honest. One follows a strategy: says
// less than it needs, or more, sleeps, cancels, squats on quotes, cuts its work
// into pieces. Everything it does is a command or a program that an ordinary user
// could send. What it got for its money is compared with what an honest twin pays
// who wants the same done, in the same world: that is the gain, and a gain is a
// bug. At every step the invariants of invariant.go are checked.
//
// A seed is a world: its nodes, its policy, who comes when and wants what. The
// same seed gives the same trial, so that whatever is found can be looked at.
//
// It decides nothing about money itself: every amount is what the exchange
// billed, every second what the simulated nodes gave. Read trial.go first, then
// strategy.go for what cheats do.
package adversary
