// Package link carries what an agent says and asks to its controller over the
// network, in the words of package task. It stands on the client that everybody
// uses, which itself knows nothing of tasks: whoever submits a job need not.
//
// The controller tells what changed; what the agent is given is always the whole
// (held.go). It decides nothing and sends nothing twice. Read link.go first.
package link
