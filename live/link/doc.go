// Package link carries what an agent says and asks to its controller over the
// network, in the words of package task. It stands on the client that everybody
// uses, which itself knows nothing of tasks: whoever submits a job need not.
//
// It decides nothing and sends nothing twice. All of it is in link.go.
package link
