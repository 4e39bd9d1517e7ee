package agent

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/libra-market/libra/core/task"
)

// devices are the GPUs of the node, numbered from 0 as their driver does, and the tasks
// that hold them. A task is told which are its own; nothing but that keeps it from others.
// The zero value has none.
type devices struct {
	mu   sync.Mutex
	of   map[int]task.Key
	most int
}

func newDevices(n int) *devices {
	d := &devices{}
	d.have(n)
	return d
}

// have says how many there are.
func (d *devices) have(n int) { d.of, d.most = map[int]task.Key{}, n }

// errTaken says that the GPUs of a task are still with one that has not quite gone.
var errTaken = errors.New("its GPUs are still in use")

// take gives a task so many, those with the lowest numbers. On a node without any it is
// given nil, and one that asks for none an empty list.
func (d *devices) take(key task.Key, n int) ([]int, error) {
	if n > d.most {
		return nil, fmt.Errorf("it asks for %d GPUs, and this node has %d", n, d.most)
	}
	if d.most == 0 {
		return nil, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.most-len(d.of) < n {
		return nil, errTaken
	}
	own := make([]int, 0, n)
	for i := 0; len(own) < n; i++ {
		if _, taken := d.of[i]; !taken {
			d.of[i] = key
			own = append(own, i)
		}
	}
	return own, nil
}

// inherit notes what a task has that an agent before this one started.
func (d *devices) inherit(key task.Key, own []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, i := range own {
		if i < d.most {
			d.of[i] = key
		}
	}
}

// free gives back what a task had.
func (d *devices) free(key task.Key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, holder := range d.of {
		if holder == key {
			delete(d.of, i)
		}
	}
}

// devicesText is how programs are told of GPUs: "0,2".
func devicesText(own []int) string {
	texts := make([]string, len(own))
	for i, n := range slices.Sorted(slices.Values(own)) {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}
