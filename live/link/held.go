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
// what a task runs once.
type held struct {
	mark   int64 // of the last answer; 0: none that can be led on from
	orders map[task.Key]task.Order
}

// follow asks for what has changed, makes it so in what is held, and returns the
// whole. If that does not succeed, nothing has happened.
func (n *Node) follow(ctx context.Context, after int64) (task.Desired, error) {
	a := n.poll("/orders", after)
	a.Query.Set("since", strconv.FormatInt(n.held.mark, 10))
	var c task.Changes
	if err := n.client.Once(ctx, a, &c); err != nil {
		return task.Desired{}, err
	}
	if c.Since != 0 && c.Since != n.held.mark {
		n.held.mark = 0
		return task.Desired{}, fmt.Errorf("the controller tells what changed since %d, and %d was the last", c.Since, n.held.mark)
	}
	now, lacking := n.held.after(&c)
	if err := n.fetch(ctx, now.orders, lacking); err != nil {
		return task.Desired{}, err
	}
	if len(lacking) > 0 { // they are wanted no longer, which the next answer says; or will be told anew
		now.mark = 0
	}
	n.held = now
	d := task.Desired{Version: c.Version, Tails: c.Tails, LeaseMS: c.LeaseMS, ReportMS: c.ReportMS, Orders: make([]task.Order, 0, len(now.orders))}
	for _, key := range slices.SortedFunc(maps.Keys(now.orders), task.Key.Compare) {
		d.Orders = append(d.Orders, now.orders[key])
	}
	return d, nil
}

// after is what is held after changes, and the tasks of which it is not known what
// they run.
func (h held) after(c *task.Changes) (now held, lacking map[task.Key]*task.Share) {
	now, lacking = held{mark: c.Mark, orders: map[task.Key]task.Order{}}, map[task.Key]*task.Share{}
	if c.Since != 0 {
		maps.Copy(now.orders, h.orders)
		for _, key := range c.Gone {
			delete(now.orders, key)
		}
	}
	for i := range c.Orders {
		s := &c.Orders[i]
		if was, known := h.orders[s.Key]; known {
			now.orders[s.Key] = s.Order(was.Spec)
		} else {
			lacking[s.Key] = s
		}
	}
	return now, lacking
}

// keysAtOnce bounds a question for programs.
const keysAtOnce = 1000

// fetch asks what tasks run, as often as the answers leave some open, and moves
// those that are known from the lacking to the orders.
func (n *Node) fetch(ctx context.Context, orders map[task.Key]task.Order, lacking map[task.Key]*task.Share) error {
	for keys := slices.SortedFunc(maps.Keys(lacking), task.Key.Compare); len(keys) > 0; {
		asked := keys[:min(len(keys), keysAtOnce)]
		var got task.Specs
		a := client.Call{Method: http.MethodPost, Path: n.path + "/specs", Body: task.SpecRequest{Keys: asked}}
		if err := n.client.Once(ctx, a, &got); err != nil {
			return err
		}
		for i := range got.Specs {
			spec := got.Specs[i]
			if s := lacking[spec.Key]; s != nil {
				orders[spec.Key] = s.Order(spec)
				delete(lacking, spec.Key)
			}
		}
		left := slices.DeleteFunc(slices.Clone(keys), func(k task.Key) bool { return lacking[k] == nil })
		if len(left) == len(keys) {
			left = keys[len(asked):] // none of them is wanted any longer
		}
		keys = left
	}
	return nil
}
