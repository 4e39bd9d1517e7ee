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
// read there: spec.json (claimed), started (its program may have run),
// status.json (how it ended). Whoever holds the lock on the file lock is the
// task's living shepherd.
//
// The package never decides what should run, or how much of a processor it
// should get. Read agent.go first, then runner.go (the life of one task), then
// shepherd.go and init.go.
package agent
