// Package agent makes a node do what the controller wants: it turns the set of
// orders into processes and keeps each one to its share.
//
// Three processes have a part in a task, and all are this binary:
//
//   - the agent (Agent.Run) talks to the controller, claims a folder for each
//     task, sets the limits of its group, and reports. It can be stopped,
//     killed and replaced at any moment; tasks go on.
//   - the shepherd (Shepherd) is the parent of one task, lives as long as the
//     task and writes down how it ended. It also ends the task when nobody has
//     heard from the controller for too long.
//   - the init (Init) joins the group, becomes the user, opens the output with
//     the user's rights and becomes the user's program.
//
// What the agent knows is on disk, one folder for each task: a folder is the
// claim that makes sure that nothing is ever started twice. A task's life can be
// read there: spec.json (claimed), started (its program may have run), optional
// (its mandatory part is done, where it has two), status.json (how it ended).
// Whoever holds the lock on the file lock is the task's living shepherd.
//
// Where a batch system runs the tasks (Config.Control), there are no shepherds:
// the agent holds the groups of that system's jobs to their shares and says what
// they use. Of a task it then says Starting once the share is in force (with
// cgroup v2: will be, see cgroup.OpenSlurm), Running once it has been seen to
// run, and that with EndedUS once none of its processes is left: how it ended is
// for the batch system to tell. It says Lost only where it could not set the
// share, or has killed the processes because the lease ran out. Killed and
// started again it goes on from what is written down of each job; while no agent
// runs, the quotas hold, and only the batch system ends a job whose lease runs
// out. Read control.go.
//
// The package never decides what should run, or how much of a processor it
// should get. Read agent.go first, then runner.go (the life of one task), then
// shepherd.go and init.go.
package agent
