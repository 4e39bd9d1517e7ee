package slurm

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// Slurm counts elements that are jobs: those that run at a time, and all that it has.
func TestElementsCountAsJobs(t *testing.T) {
	r := sweptRun()
	if use := r.use(); use.Jobs != 1 || use.Waiting != 0 {
		t.Errorf("as one job it is %+v", use)
	}
	r.array.is = true
	if use := r.use(); use.Jobs != 3 || use.Waiting != 2 {
		t.Errorf("five in three lanes: %+v", use)
	}
	r.array.done = map[int]finish{1: {State: client.Completed}}
	if use := r.use(); use.Jobs != 3 || use.Waiting != 1 {
		t.Errorf("when one has ended: %+v", use)
	}
	for e := 2; e <= 4; e++ {
		r.array.done[e] = finish{State: client.Completed}
	}
	if use := r.use(); use.Waiting != 0 {
		t.Errorf("when the last runs: %+v", use)
	}
}

// What is asked for counts as what it is to be, and so does what is kept for it.
func TestArraysAreAdmittedByTheirElements(t *testing.T) {
	b, n := idle(t, Agents) // on which ann has a job
	b.slurm = &arraySlurm{Slurm: b.slurm}
	n.hello = &task.Hello{Node: "n1", Processors: 4, Elements: true}
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{
		Config:    "AccountingStorageEnforce = limits\nMaxArraySize = 1001\n",
		Partition: "PartitionName=libra\n",
		Manager:   "ClusterName=c Account=physics UserName=bob(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=3(0) MaxSubmitJobs=9(0)\n",
	}), noon
	ask := func(elements, atATime int, by string) (*Ticket, *limit.Excess) {
		r := &trade.Request{EstimateMS: 1000, Array: &trade.Array{First: 1, Last: elements, Step: 1, Limit: atATime}}
		if by != "" {
			r.Env = []string{submitDir + "=/home/bob"}
		}
		return b.Admit(t.Context(), "bob", r, false)
	}
	ticket, over := ask(9, 3, "sbatch")
	if over != nil || ticket.use.Jobs != 3 || ticket.use.Waiting != 6 {
		t.Fatalf("%+v, %+v", ticket, over)
	}
	if _, over = ask(1, 1, "sbatch"); over == nil {
		t.Error("all is kept for the other")
	}
	b.Settle(ticket, 0)
	if _, over = ask(10, 3, "sbatch"); over == nil || !strings.Contains(over.Detail, "9") {
		t.Errorf("ten are more than Slurm takes: %+v", over)
	}
	if _, over = ask(9, 0, "sbatch"); over == nil || over.Elements != 3 {
		t.Errorf("four at a time are more than run: %+v", over)
	}
	if ticket, over = ask(100, 0, ""); over != nil || ticket.use.Jobs != 1 || ticket.use.Waiting != 0 {
		t.Errorf("one job in Slurm: %+v, %+v", ticket, over)
	}
}
