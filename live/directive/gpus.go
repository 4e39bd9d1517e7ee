package directive

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// gpus is what other systems' words say of GPUs. What is not said is none.
type gpus struct {
	job     someGPUs // all told
	node    someGPUs // on each node
	gres    someGPUs // the same in other words
	task    someGPUs // of each task
	program someGPUs // of each program of the market
}

// someGPUs are so many, of one kind if it is named.
type someGPUs struct {
	kind string
	n    int
	text string // as it was said
}

// errOneKind says what a job with GPUs of two kinds cannot have.
var errOneKind = errors.New("the GPUs of a job are of one kind")

// devices sets a part of what is said of GPUs: 2, a100:2.
func devices(part func(*gpus) *someGPUs) func(o *occurrence) error {
	return func(o *occurrence) error {
		if strings.Contains(o.value, ",") {
			return fmt.Errorf("%q: %w", o.value, errOneKind)
		}
		kind, n, err := market.ParseGPUs(o.value)
		if err != nil {
			return err
		}
		*part(&o.width.gpus) = someGPUs{kind, n, o.value}
		o.width.last = o
		return nil
	}
}

// gres reads generic resources: gpu, gpu:2, gpu:a100, gpu:a100:2. Others are not sold.
func (o *occurrence) gres() error {
	var found someGPUs
	for entry := range strings.SplitSeq(o.value, ",") {
		words := strings.Split(strings.TrimPrefix(entry, "gres/"), ":")
		switch {
		case entry == "none" || entry == "":
			continue
		case words[0] != "gpu":
			return notHad(words[0] + ": of generic resources the market sells GPUs alone (gpu:2, gpu:a100:2)")
		case found.n > 0:
			return fmt.Errorf("%q: %w", o.value, errOneKind)
		}
		text := strings.Join(words[1:], ":")
		if _, err := strconv.Atoi(words[len(words)-1]); err != nil { // one, of a kind or of any
			text = strings.TrimPrefix(text+":1", ":")
		}
		kind, n, err := market.ParseGPUs(text)
		if err != nil {
			return err
		}
		found = someGPUs{kind: kind, n: n}
	}
	o.width.gpus.gres, o.width.last = found, o
	return nil
}

// each is how many GPUs are on each node.
func (g *gpus) each() (someGPUs, error) {
	if g.gres.n > 0 && g.node.n > 0 && (g.gres.n != g.node.n || g.gres.kind != g.node.kind) {
		return g.node, errors.New("--gres and --gpus-per-node say different things")
	}
	if g.gres.n > 0 {
		return g.gres, nil
	}
	return g.node, nil
}

// kind is the one kind that is named.
func (g *gpus) kind() (string, error) {
	kind := ""
	for _, some := range []someGPUs{g.job, g.node, g.gres, g.task, g.program} {
		switch {
		case some.n == 0 || some.kind == "":
		case kind != "" && kind != some.kind:
			return "", errOneKind
		default:
			kind = some.kind
		}
	}
	return kind, nil
}

// whole is how many times one number goes into another.
func whole(n, into int) (int, error) {
	if into%n != 0 {
		return 0, fmt.Errorf("%d GPUs are no multiple of %d", into, n)
	}
	return into / n, nil
}

// sizeByGPUs settles on how many nodes and of how many tasks a job is to be that says it in
// GPUs. One that says on how many nodes in no way is on one, where sbatch puts it if it can.
func (w *width) sizeByGPUs() (err error) {
	g := &w.gpus
	each, err := g.each()
	if err != nil {
		return err
	}
	if g.task.n > 0 && w.tasks == 0 && w.perNode == 0 {
		if g.job.n == 0 {
			return errors.New("--gpus-per-task wants a number of tasks (-n), or of all GPUs (--gpus)")
		}
		if w.tasks, err = whole(g.task.n, g.job.n); err != nil {
			return err
		}
	}
	if w.nodes > 0 || each.n == 0 && (g.job.n == 0 || g.task.n > 0) {
		return nil
	}
	w.nodes = 1
	switch {
	case each.n > 0 && g.job.n > 0:
		w.nodes, err = whole(each.n, g.job.n)
	case each.n > 0 && g.task.n > 0 && w.tasks > 0:
		w.nodes, err = whole(each.n, g.task.n*w.tasks)
	}
	w.mostNodes = w.nodes
	return err
}

// applyGPUs turns it into what the market sells: so many for each program.
func (w *width) applyGPUs(h *Head, tasks, programs int) error {
	if w.gpus == (gpus{}) {
		return nil
	}
	n, err := w.gpusOf(tasks, programs)
	kind, wrong := w.gpus.kind()
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	if h.Request.GPUs, h.Request.GPUKind = n, kind; n == 0 {
		h.Request.GPUKind = ""
	}
	return nil
}

// gpusOf is how many GPUs each of the programs has into which so many tasks are made.
func (w *width) gpusOf(tasks, programs int) (n int, err error) {
	g := &w.gpus
	each, err := g.each()
	uneven := w.nodes > 0 && tasks > w.mostNodes && programs == tasks
	switch {
	case err != nil:
		return 0, err
	case g.program.n > 0:
		return g.program.n, nil
	case g.task.n > 0:
		n = g.task.n * (tasks / programs)
	case (each.n > 0 || g.job.n > 0) && uneven:
		return 0, fmt.Errorf("%d tasks are not the same number on each of %d nodes, and GPUs are sold by the node", tasks, w.nodes)
	case each.n > 0:
		n = each.n
	case g.job.n > 0:
		n = g.job.n / programs
	}
	if g.job.n > 0 && n*programs != g.job.n {
		return 0, fmt.Errorf("%d GPUs are not the same number for each of %d nodes or tasks", g.job.n, programs)
	}
	if each.n > 0 && g.task.n > 0 && n != each.n {
		return 0, fmt.Errorf("%d GPUs on each node are not those of its tasks, %d", each.n, n)
	}
	if n > market.MaxGPUs {
		return 0, errTooWide
	}
	return n, nil
}

// tellGPUs sets what sbatch would tell the job of its GPUs beside which they are.
func (g *gpus) tellGPUs(h *Head) {
	for _, said := range []struct {
		name string
		some someGPUs
	}{{"GPUS", g.job}, {"GPUS_PER_NODE", g.node}, {"GPUS_PER_TASK", g.task}} {
		if said.some.text != "" {
			h.told = append(h.told, "SLURM_"+said.name+"="+said.some.text)
		}
	}
}
