package main

import (
	"context"
	"fmt"
	"os"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

// load reads the history, finds the cluster and gives the jobs agreements
// where a model is asked for.
func (r *pastRun) load(ctx context.Context, contenders []trial.Contender) error {
	like := &simulation{simulateOptions: simulateOptions{
		policies: r.policies, workload: r.history, nodes: r.replayOptions.nodes, cluster: r.cluster, sla: r.sla, seed: r.seed,
	}, con: r.con, contenders: contenders, settings: r.settings}
	var err error
	if r.history == liveHistory {
		if err = r.loadLive(ctx, contenders); err != nil {
			return err
		}
		if r.sla == "" {
			r.sla = trial.NoModel
		}
		if like.model, err = newModel(r.sla); err != nil {
			return err
		}
	} else if isJobTable(r.history) {
		if r.arrivals, err = r.readTableAsHistory(); err != nil {
			return err
		}
		if r.replayOptions.nodes == 0 && r.cluster == "" {
			return usagef("%s does not say how large the cluster is: give --nodes", r.history)
		}
		r.nodes = r.replayOptions.nodes
		if r.cluster != "" {
			described, bad := readCluster(r.cluster)
			if bad != nil {
				return bad
			}
			r.describe(described)
		}
		if r.sla == "" {
			r.sla = trial.NoModel
		}
		if like.model, err = newModel(r.sla); err != nil {
			return err
		}
	} else {
		var file *workload.File
		if file, err = r.con.openWorkload(ctx, r.history); err != nil {
			return err
		}
		defer file.Close()
		if like.model, err = newModel(like.modelName(file)); err != nil {
			return err
		}
		var nodes market.Nodes
		if nodes, err = like.findNodes(file); err != nil {
			return err
		}
		r.nodes = nodes.Len()
		if r.cluster != "" {
			r.describe(nodes)
		}
		if r.arrivals, err = r.con.loadWorkload(ctx, file, r.last); err != nil {
			return err
		}
		r.con.warnSkipped(r.history, file.Skipped())
		if s := file.Sacct(); s != nil {
			r.ends = s.Finished()
			r.con.warnSacct(r.history, s.Left())
			if r.replayOptions.nodes == 0 && r.cluster == "" {
				r.con.warn("%s: on %s, as many as were in use at once (--nodes says otherwise)", r.history, number(int64(r.nodes), "processor"))
			}
			r.con.warn("%s: Slurm knows neither deadlines nor budgets: those of the model %s, seed %d (--sla, --seed)", r.history, like.modelName(file), r.seed)
		}
	}
	if r.history != liveHistory {
		if err = r.divide(); err != nil {
			return err
		}
	}
	if len(r.arrivals) == 0 {
		return fmt.Errorf("%s: no jobs in it", r.history)
	}
	workload.Sort(r.arrivals)
	// The price that is tuned belongs to one of the policies; the settings of
	// --from are its own defaults.
	if err := distribute(r.settings, contenders, like.model); err != nil {
		return err
	}
	return like.applyModel(r.arrivals)
}

// describe has the history run on nodes that are described in a file.
func (r *pastRun) describe(nodes market.Nodes) {
	r.nodes, r.on = nodes.Len(), &experiment.Cluster{Nodes: nodes}
}

// divide finds the partitions of the nodes, and what they cost.
func (r *pastRun) divide() (err error) {
	var nodes market.Nodes
	if r.on != nil {
		nodes = r.on.Nodes
	}
	r.partitions, err = simulatedPartitions(r.partition, nodes)
	return err
}

// isJobTable looks at the first line of a file. What cannot be read is not
// one; reading it as a workload will say why.
func isJobTable(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return replay.IsTable(file)
}

func readJobTable(path string) (*replay.Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return replay.ReadTable(path, file)
}

// readTableAsHistory makes a workload of a job table: what ran, for as long as
// it ran.
func (r *pastRun) readTableAsHistory() ([]workload.Arrival, error) {
	table, err := readJobTable(r.history)
	if err != nil {
		return nil, err
	}
	arrivals, left, err := table.Arrivals()
	if err != nil {
		return nil, err
	}
	if left > 0 {
		r.con.warn("%s: jobs left out because they never ran, and a job table does not say how long they would have: %s", r.history, count(int64(left)))
	}
	if r.table == "" {
		r.table = r.history
	}
	if r.last > 0 {
		arrivals = arrivals[max(0, len(arrivals)-r.last):]
	}
	return arrivals, nil
}

// readCourse takes what was from the job table. Deadlines and budgets are
// those of the history.
func (r *pastRun) readCourse() (*replay.Course, error) {
	table, err := readJobTable(r.table)
	if err != nil {
		return nil, err
	}
	course, missing, err := table.Told(r.arrivals)
	switch {
	case err != nil:
		return nil, err
	case missing == len(r.arrivals):
		return nil, fmt.Errorf("%s: none of the jobs of %s is in it", r.table, r.history)
	case missing > 0:
		r.con.warn("%s: jobs of the history that are not in it, taken as not satisfied: %s", r.table, count(int64(missing)))
	}
	return course, nil
}
