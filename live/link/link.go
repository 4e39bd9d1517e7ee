package link

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/core/task"
)

// Node is what an agent says and asks, for one node. It sends nothing twice: an
// agent goes on asking anyway, and counts how long it has heard nothing.
type Node struct {
	client *client.Client
	path   string

	// Whoever asks for orders asks one after the other, and registers between.
	at      atomic.Pointer[string] // the address at which it has registered
	changes atomic.Bool            // the controller is of today: it tells of changes alone
	lanes   atomic.Bool            // it may be told how far arrays are
	held    held                   // what it has told
}

// New speaks for a node over a client.
func New(c *client.Client, node string) *Node {
	return &Node{client: c, path: "/v1/nodes/" + url.PathEscape(node)}
}

// desiredWait is how long the server waits for news.
const desiredWait = 25 * time.Second

// Register introduces the node.
func (n *Node) Register(ctx context.Context, h task.Hello) (w task.Welcome, err error) {
	err = turnedAway(n.client.Once(ctx, client.Call{Method: http.MethodPut, Path: n.path, Body: h}, &w))
	if err == nil {
		at := n.client.Server()
		n.at.Store(&at)
	}
	if err == nil { // another program may have come in the place of the one before
		n.changes.Store(w.Changes)
		n.lanes.Store(w.Lanes)
	}
	return w, err
}

// turnedAway tells an answer that the node is not taken, whose reason is for its operator
// to mend, from no answer, and from one that there will be another later.
func turnedAway(err error) error {
	p, ok := errors.AsType[*client.Problem](err)
	if !ok || p.Type == "" || p.Status < 400 || p.Status >= 500 || p.Status == http.StatusTooManyRequests {
		return err
	}
	return &task.TurnedAway{Why: err}
}

// Desired is what the node should be doing, as soon as that is newer than after,
// and some 25 s later in any case; with a negative after, at once. The node is
// the one that the client speaks for.
func (n *Node) Desired(ctx context.Context, _ string, after int64) (task.Desired, error) {
	if at := n.at.Load(); at != nil && *at != n.client.Server() {
		return task.Desired{}, errElsewhere
	}
	if n.changes.Load() {
		return n.follow(ctx, after)
	}
	var d task.Desired
	err := n.client.Once(ctx, n.poll("/desired", after), &d)
	return d, err
}

// poll waits for something newer than after.
func (n *Node) poll(what string, after int64) client.Call {
	a := client.Call{Method: http.MethodGet, Path: n.path + what}
	a.Query = url.Values{"after": {strconv.FormatInt(max(after, -1), 10)}}
	if after >= 0 {
		a.Wait = desiredWait
		a.Query.Set("wait_ms", strconv.FormatInt(desiredWait.Milliseconds(), 10))
	}
	return a
}

// Report says how things stand.
func (n *Node) Report(ctx context.Context, r task.Report) (reply task.Reply, err error) {
	if !n.changes.Load() {
		r.Tasks, r.SaidUS = asBefore(r.Tasks), 0
	}
	if !n.lanes.Load() {
		r.Lanes = nil
	}
	err = n.client.Once(ctx, client.Call{Method: http.MethodPost, Path: n.path + "/report", Body: r}, &reply)
	return reply, err
}

// Refuse says that the controller is not obeyed.
func (n *Node) Refuse(ctx context.Context, r task.Refusal) error {
	return n.client.Once(ctx, client.Call{Method: http.MethodPost, Path: n.path + "/refusal", Body: r}, nil)
}

// Tail answers a request for output.
func (n *Node) Tail(ctx context.Context, id string, chunk task.Chunk) error {
	a := client.Call{Method: http.MethodPost, Path: n.path + "/tails/" + url.PathEscape(id), Body: chunk}
	return n.client.Once(ctx, a, nil)
}

// asBefore is how tasks stand in the words of the first version, whose controllers
// refuse what they do not know.
func asBefore(tasks []task.Status) []task.Status {
	out := slices.Clone(tasks)
	for i := range out {
		out[i].Limit, out[i].Cancelled, out[i].RanUS, out[i].AgoUS, out[i].MandatoryAgoUS, out[i].BornUS = "", false, 0, 0, 0, 0
		out[i].Elements = slices.Clone(out[i].Elements)
		for k := range out[i].Elements {
			out[i].Elements[k].Error = ""
		}
	}
	return out
}

// errElsewhere has an agent register: what the one before has told it is not what
// the next one leads on from.
var errElsewhere = errors.New("another controller leads now")

// Elsewhere turns to the next controller.
func (n *Node) Elsewhere() { n.client.Elsewhere() }
