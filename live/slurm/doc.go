// Package slurm lets a Slurm cluster run what the market has sold.
//
// A [Backend] stands between the controller and the nodes. To the controller it
// looks like the agents of all nodes: it comes for their orders and reports how
// tasks stand. To the agents on the Slurm nodes, which only hold Slurm's jobs
// to their shares, it looks like the controller. In between it makes one Slurm
// job of the tasks of a job, or one array of the elements of an array: submitted
// held, to exactly the nodes that were sold, released when the agents have made room
// for it, and followed to its end.
//
// It decides what to tell Slurm next, and what an end in Slurm means to the
// market. It never decides who may run, where, or for how much; it starts no
// processes; and it never takes the silence of Slurm for the end of a job.
//
// Killed at any moment and started again, it submits nothing twice and loses
// nothing. A job in Slurm carries a word that follows from a secret of the market and
// the number of the job, so a backend finds again what one before it has submitted;
// that a job may have started, and under which number, is durable before it is let
// go. A Slurm job is its number together with the time it was submitted: after a
// crash Slurm gives numbers out again. So Slurm is told to let go or to cancel only a
// number that it has just called the run's own (number.go).
//
// Read state.go first (the states of a run and the table of its transitions), then
// decide.go (what follows from what is known of it), run.go (what that is), loop.go
// and act.go (how it is done), array.go (elements that are jobs), standin.go (who waits
// in the market), putback.go and anew.go (what users put back into Slurm's queue), member.go and
// node.go (which nodes are there, and the table of how they come and go), script.go
// (what Slurm runs).
package slurm
