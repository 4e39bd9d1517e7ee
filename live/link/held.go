package link

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/core/task"
)

// held is what the controller has told so far: it is then told changes alone, and
// what a task runs once. Whatever has been heard is kept, however the next call
// ends: else a call that takes longer than there is time for would begin anew for
// ever, and nobody's orders would be heard.
type held struct {
	mark   int64 // of the last answer; 0: none that can be led on from
	shares map[task.Key]task.Share
	specs  map[task.Key]task.Spec // of those of the shares that are known
	idle   bool                   // the last question for programs brought none
	failed error                  // why it was not answered, until somebody is told
}

// follow asks for what has changed, then for a piece of what is lacking, and
// returns the whole: orders come first, so that nobody's end waits for what
// somebody else runs.
func (n *Node) follow(ctx context.Context, after int64) (task.Desired, error) {
	h := &n.held
	if err := h.failed; err != nil {
		h.failed = nil
		return task.Desired{}, err
	}
	if len(h.lacking()) > 0 && !h.idle {
		after = -1 // there is something to do besides waiting
	}
	a := n.poll("/orders", after)
	a.Query.Set("since", strconv.FormatInt(h.mark, 10))
	var c task.Changes
	if err := n.client.Once(ctx, a, &c); err != nil {
		return task.Desired{}, err
	}
	if c.Since != 0 && c.Since != h.mark {
		err := fmt.Errorf("the controller tells what changed since %d, and %d was the last", c.Since, h.mark)
		h.mark = 0
		return task.Desired{}, err
	}
	h.change(&c)
	h.failed = n.fetch(ctx)
	return h.whole(&c), nil
}

// change makes changes so in what is held.
func (h *held) change(c *task.Changes) {
	if c.Since == 0 || h.shares == nil {
		h.shares = make(map[task.Key]task.Share, len(c.Orders))
	}
	for _, key := range c.Gone {
		delete(h.shares, key)
	}
	for i := range c.Orders {
		h.shares[c.Orders[i].Key] = c.Orders[i]
	}
	h.mark = c.Mark
	maps.DeleteFunc(h.specs, func(key task.Key, spec task.Spec) bool {
		share, wanted := h.shares[key]
		return !wanted || spec.BornUS != share.BornUS
	})
}

// lacking are the tasks of which it is not known what they run.
func (h *held) lacking() []task.Key {
	if len(h.specs) == len(h.shares) {
		return nil
	}
	keys := make([]task.Key, 0, len(h.shares)-len(h.specs))
	for key := range h.shares {
		if _, known := h.specs[key]; !known {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, task.Key.Compare)
	return keys
}

// keysAtOnce bounds a question for programs.
const keysAtOnce = 1000

// fetch asks once what tasks run of which that is not known. The answer has as many
// as are sent at a time.
func (n *Node) fetch(ctx context.Context) error {
	h := &n.held
	keys := h.lacking()
	if len(keys) == 0 {
		h.idle = false
		return nil
	}
	var got task.Specs
	a := client.Call{Method: http.MethodPost, Path: n.path + "/specs", Body: task.SpecRequest{Keys: keys[:min(len(keys), keysAtOnce)]}}
	if err := n.client.Once(ctx, a, &got); err != nil {
		return err
	}
	if h.specs == nil {
		h.specs = map[task.Key]task.Spec{}
	}
	before := len(h.specs)
	for i := range got.Specs {
		if _, wanted := h.shares[got.Specs[i].Key]; wanted {
			h.specs[got.Specs[i].Key] = got.Specs[i]
		}
	}
	h.idle = len(h.specs) == before // they are wanted no longer, which the next answer says
	return nil
}

// whole is all that should be so, by what is held.
func (h *held) whole(c *task.Changes) task.Desired {
	d := task.Desired{Version: c.Version, Tails: c.Tails, LeaseMS: c.LeaseMS, ReportMS: c.ReportMS, Leader: c.Leader, Orders: make([]task.Order, 0, len(h.shares))}
	for _, key := range slices.SortedFunc(maps.Keys(h.shares), task.Key.Compare) {
		share := h.shares[key]
		if spec, known := h.specs[key]; known {
			d.Orders = append(d.Orders, share.Order(spec))
		} else {
			d.Named = append(d.Named, share)
		}
	}
	return d
}
