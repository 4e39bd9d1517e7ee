package directive_test

import (
	"os"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/directive"
)

// What sbatch says of nodes: a job is on those that it names, as by sbatch on all of them.
func TestNodesOfSbatch(t *testing.T) {
	for _, c := range []struct {
		options    string
		nodelist   string
		exclude    string
		constraint string
		processors int
		threads    int
		spread     bool
	}{
		{"-w n1", "n1", "", "", 0, 0, false},
		{"-w n1 -n 4", "n1", "", "", 4, 0, false},
		{"-w n[1-2]", "n1,n2", "", "", 2, 0, true},
		{"-w n1,n2,n1 -n 4", "n1,n2", "", "", 4, 2, true},
		{"-w n1,n2 -N 2 -n 4", "n1,n2", "", "", 4, 2, true},
		{"-w n1,n2 -N 1-3 -n 4", "n1,n2", "", "", 4, 2, true},
		{"-w n1,n2,n3 -n 2", "n1,n2", "", "", 2, 0, true},
		{"-w n1,n2 -n 1", "n1", "", "", 1, 0, false},
		{"-w n1,n2 --gpus-per-node=1", "n1,n2", "", "", 2, 0, true},
		{"-x n[3-4]", "", "n3,n4", "", 0, 0, false},
		{"-C fast,ib -x n1", "", "n1", "fast&ib", 0, 0, false},
		{"-C amd|intel", "", "", "amd|intel", 0, 0, false},
	} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(c.options)); err != nil {
			t.Errorf("%s: %v", c.options, err)
			continue
		}
		r := h.Request
		if strings.Join(r.Nodelist, ",") != c.nodelist || strings.Join(r.Exclude, ",") != c.exclude || r.Constraint != c.constraint ||
			r.Processors != c.processors || r.Threads != c.threads || r.Spread != c.spread {
			t.Errorf("%s: %+v", c.options, r)
		}
	}
	for _, bad := range []string{
		"-w n[", "-w a/b", "-x n;m", "-w n1,n2 -N 1", "-w n1 -N 2", "-C fast*2", "-C [a|b]", "-C (a&b)", "-C a&b|c", "-C a&",
	} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(bad)); err == nil {
			t.Errorf("%s: %+v", bad, h.Request)
		}
	}
	h := directive.New(directive.Place{Now: noon, User: "alice"})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -w n1\n#LIBRA nodelist=n[3-4] constraint=fast\ntrue\n", nil); err != nil || strings.Join(h.Request.Nodelist, ",") != "n3,n4" || h.Request.Constraint != "fast" {
		t.Errorf("%v: %+v", err, h.Request)
	}
}

// Nodes may be named in a file, which whoever hands the job in can open, or nobody.
func TestNodesOfAFile(t *testing.T) {
	files := map[string]string{"few": "n1\nn2,\r\n\tn[4-5] n1\n", "none": " \n", "wrong": "a/b"}
	at := directive.Place{Now: noon, User: "alice", Nodefile: func(name string) (string, error) {
		text, is := files[name]
		if !is {
			return "", os.ErrNotExist
		}
		return text, nil
	}}
	for _, line := range []string{"-F few", "--nodefile=few", "-w n9 --nodefile few"} {
		h := directive.New(at)
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -n 8\ntrue\n", strings.Fields(line)); err != nil || strings.Join(h.Request.Nodelist, ",") != "n1,n2,n4,n5" || h.Request.Threads != 2 || !h.Request.Spread {
			t.Errorf("%s: %v, %+v", line, err, h.Request)
		}
	}
	for name, want := range map[string]string{"none": "names no nodes", "wrong": "names of nodes", "nowhere": "not exist"} {
		if err := directive.New(at).ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -F "+name+"\ntrue\n", nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "job.sh:2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := directive.New(directive.Place{Now: noon, User: "alice"})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -F few\ntrue\n", nil); err == nil || !strings.Contains(err.Error(), "libra sbatch alone") {
		t.Errorf("where nobody can open a file: %v", err)
	}
}

// A reservation is Slurm's to know: one is handed on, by name.
func TestReservation(t *testing.T) {
	for options, want := range map[string]string{"--reservation=course": "course", "--reservation course-2": "course-2", "--reservation=": ""} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH --reservation=other\ntrue\n", strings.Fields(options)); err != nil || h.Request.Reservation != want {
			t.Errorf("%s: %v: %+v", options, err, h.Request)
		}
	}
	for _, bad := range []string{"--reservation=a,b", "--reservation=a/b"} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(bad)); err == nil {
			t.Errorf("%s: %+v", bad, h.Request)
		}
	}
	h := directive.New(directive.Place{Now: noon, User: "alice"})
	if err := h.Read("job.sh", "#!/bin/sh\n#LIBRA reservation=course\ntrue\n"); err != nil || h.Request.Reservation != "course" {
		t.Errorf("%v: %+v", err, h.Request)
	}
}

// The partition is the market's to know: it is handed on, in whatever words it is said.
func TestPartition(t *testing.T) {
	for script, want := range map[string]string{
		"#!/bin/sh\n#SBATCH -p short\n": "short", "#!/bin/sh\n#SBATCH --partition=short,long\n": "short,long", "#!/bin/sh\n#LIBRA partition=fast\n": "fast", "#!/bin/sh\n": "",
	} {
		h := directive.New(directive.Place{})
		if err := h.Read("job.sh", script); err != nil || h.Request.Partition != want || len(h.Notes) > 0 {
			t.Errorf("%q: %q, %v, %v", script, h.Request.Partition, h.Notes, err)
		}
	}
	if err := directive.New(directive.Place{}).Read("job.sh", "#!/bin/sh\n#SBATCH -p a|b\n"); err == nil {
		t.Error("a|b is the name of a partition")
	}
}
