package directive

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/hostlist"
)

// nodes reads names of nodes, in Slurm's short form too, each once.
func nodes(text string) ([]string, error) {
	all, err := hostlist.Expand(text)
	if err != nil {
		return nil, err
	}
	var once []string
	seen := map[string]bool{}
	for _, name := range all {
		if !market.Word(name) {
			return nil, fmt.Errorf("%q: %w", name, errNode)
		}
		if !seen[name] {
			seen[name] = true
			once = append(once, name)
		}
	}
	return once, nil
}

var errNode = errors.New("want names of nodes: n1,n[3-5]")

func (h *Head) nodelist(v string) error {
	names, err := nodes(v)
	return put(&h.Request.Nodelist, names, err)
}

func (h *Head) exclude(v string) error {
	names, err := nodes(v)
	return put(&h.Request.Exclude, names, err)
}

// constraint reads what nodes must be. To sbatch a comma is an ampersand.
func (h *Head) constraint(v string) error {
	if strings.ContainsAny(v, "[]()*") {
		return fmt.Errorf("%q: numbers of nodes and groups of features are not known here; want fast&ib or amd|intel", v)
	}
	v = strings.ReplaceAll(v, ",", "&")
	if v == "" {
		h.Request.Constraint = ""
		return nil
	}
	return put(&h.Request.Constraint, v, market.CheckConstraint(v))
}

// partition reads whose nodes a job is to be on. A market that has no partitions passes it over.
func (h *Head) partition(v string) error {
	for _, name := range strings.Split(v, ",") {
		if v != "" && !market.Word(name) {
			return fmt.Errorf("%q: want the name of a partition", v)
		}
	}
	h.Request.Partition = v
	return nil
}

// reservation reads the name of a reservation of the batch system.
func (h *Head) reservation(v string) error {
	if strings.Contains(v, ",") {
		return fmt.Errorf("%q: one reservation alone can be asked for here", v)
	}
	if v != "" && !market.Word(v) {
		return fmt.Errorf("%q: want the name of a reservation, a word of letters, digits, dots and - or _", v)
	}
	h.Request.Reservation = v
	return nil
}

// qos reads the name of a QOS of the batch system, which has them in small letters, however they are
// written. A market that runs its jobs itself passes it over.
func (h *Head) qos(v string) error {
	if v != "" && !market.Word(v) {
		return fmt.Errorf("%q: Invalid qos specification: want the name of one, a word of letters, digits, dots and - or _", v)
	}
	h.Request.QOS = strings.ToLower(v)
	return nil
}

// onNamed is sbatch's --nodelist: the job is on all of the nodes.
func (o *occurrence) onNamed() error {
	err := o.nodelist(o.value)
	o.width.named, o.width.last = len(o.Request.Nodelist), o
	return err
}

// onFiled is sbatch's --nodefile: what --nodelist would say is in a file, with commas or line ends
// between the names.
func (o *occurrence) onFiled() error {
	if o.at.Nodefile == nil {
		return errors.New("a file of names of nodes is read by libra sbatch alone; --nodelist names them")
	}
	text, err := o.at.Nodefile(o.value)
	if err != nil {
		return err
	}
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' || r == ' ' || r == '\t' })
	if len(names) == 0 {
		return fmt.Errorf("%s names no nodes", o.value)
	}
	o.value = strings.Join(names, ",")
	return o.onNamed()
}

// byName settles on how many nodes a job is to be that names them: on all, unless it has
// fewer tasks.
func (w *width) byName(h *Head) error {
	n := w.named
	if n == 0 {
		return nil
	}
	if w.tasks > 0 && w.tasks < n {
		n = w.tasks
		h.Request.Nodelist = slices.Clone(h.Request.Nodelist[:min(n, len(h.Request.Nodelist))])
		w.last.note(fmt.Sprintf("%d of the nodes, as there are no more tasks: %s", n, strings.Join(h.Request.Nodelist, ",")))
	}
	switch {
	case w.nodes == 0 && n == 1: // on no other, however many processors it has there
		return nil
	case w.nodes > 0 && w.mostNodes < n:
		return fmt.Errorf("%d nodes are named, and it is to be on %d", n, w.mostNodes)
	case w.nodes > n:
		return fmt.Errorf("it is to be on %d nodes, and on those that are named alone: name as many, or none", w.nodes)
	}
	w.nodes, w.mostNodes = n, n
	return nil
}
