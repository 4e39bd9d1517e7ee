// Package association keeps accounts of a market in step with those that Slurm has:
// which accounts there are, who may use which, and which of them pays when somebody
// names none.
//
// What sacctmgr says goes in ([Read]), and what is to be done comes out ([Tree.Plan]):
// accounts to be opened, users to be bound and to be bound no longer. All of it is below
// one account, which is Slurm's; what is elsewhere is nobody's business here. It moves no
// money, closes no account, and ends no job: who is bound no longer hands nothing in any
// more, and what is under way goes on.
//
// Nothing is ever concluded from silence: a listing that does not have the root of the
// cluster's accounts is none.
//
// Read read.go first, then plan.go; keep.go is for a market that does it by itself.
package association
