package plugin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/plugin"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// cheat is a user who would like to run without paying.
type cheat struct {
	t    *testing.T
	c    *slurmtest.Cluster
	name string
}

// runs is a command of the cheat's: what it said, and whether it succeeded.
func (u *cheat) runs(argv ...string) (string, bool) {
	u.t.Helper()
	out, err := u.c.RunAs(u.t.Context(), u.name, argv[0], argv[1:]...)
	return out, err == nil
}

// posts is a question to slurmrestd with a token and in the name of a user.
func posts(t *testing.T, c *slurmtest.Cluster, token, user, path string, body any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.RestURL+"/slurm/"+slurmtest.API()+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-SLURM-USER-NAME", user)
	req.Header.Set("X-SLURM-USER-TOKEN", token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func job(c *slurmtest.Cluster, partition, comment, seal string) map[string]any {
	j := map[string]any{
		"name": "j", "partition": partition, "comment": comment, "tasks": 1,
		"current_working_directory": "/", "standard_output": "/dev/null",
	}
	if slurmtest.Modern() {
		j["required_nodes"], j["environment"] = c.Nodes[:1], []string{"PATH=/bin:/usr/bin", plugin.SealVariable + "=" + seal}
	} else {
		j["nodes"], j["nodelist"], j["environment"] = 1, c.Nodes[0], map[string]string{"PATH": "/bin:/usr/bin", plugin.SealVariable: seal}
	}
	return map[string]any{"job": j, "script": "#!/bin/sh\nsleep 60\n"}
}

func key(t *testing.T, c *slurmtest.Cluster) plugin.Key {
	t.Helper()
	text, err := os.ReadFile(c.DoorKey)
	if err != nil {
		t.Fatal(err)
	}
	k, err := plugin.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// jobID is the number in an answer of slurmrestd; none: 0.
func jobID(answer string) (id int64) {
	var a struct {
		ID int64 `json:"job_id"`
	}
	_ = json.Unmarshal([]byte(answer), &a) // what is no answer has no number
	return a.ID
}

// TestDoor has a user try what a user can to get past the door.
func TestDoor(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 2, Door: true})
	ctx := t.Context()
	bob := &cheat{t, c, slurmtest.User(t, slurmtest.Bob)}
	alice := slurmtest.User(t, slurmtest.Alice)
	state := func(id int64) string {
		t.Helper()
		out, err := c.Run(ctx, "squeue", "-h", "-t", "all", "-j", fmt.Sprint(id), "-o", "%T %Q %P %n %l")
		if err != nil {
			t.Error(err)
		}
		return out
	}

	t.Run("plain submission is refused with advice", func(t *testing.T) {
		for what, argv := range map[string][]string{
			"named":       {"sbatch", "-p", "libra", "-o", "/dev/null", "--wrap", "true"},
			"default":     {"sbatch", "-o", "/dev/null", "--wrap", "true"},
			"held":        {"sbatch", "-H", "-p", "libra", "-o", "/dev/null", "--wrap", "true"},
			"two":         {"sbatch", "-p", "plain,libra", "-o", "/dev/null", "--wrap", "true"},
			"srun":        {"srun", "-p", "libra", "true"},
			"salloc":      {"salloc", "-p", "libra", "true"},
			"array":       {"sbatch", "-p", "libra", "--array=1-3", "-o", "/dev/null", "--wrap", "true"},
			"empty seal":  {"sbatch", "-p", "libra", "--export=" + plugin.SealVariable + "=", "-o", "/dev/null", "--wrap", "true"},
			"other seal":  {"sbatch", "-p", "libra", "--export=" + plugin.SealVariable + "=" + strings.Repeat("0", 16), "-o", "/dev/null", "--wrap", "true"},
			"as root":     {"sbatch", "--uid=0", "-p", "libra", "-o", "/dev/null", "--wrap", "true"},
			"weird comma": {"sbatch", "-p", "libra,", "-o", "/dev/null", "--wrap", "true"},
		} {
			out, ok := bob.runs(argv...)
			if ok || !strings.Contains(out, "libra sbatch script.sh") && what != "as root" && what != "weird comma" {
				t.Errorf("%s: %q, done: %t", what, out, ok)
			}
		}
		if out, err := c.Run(ctx, "squeue", "-h", "-t", "all", "-u", bob.name); err != nil || out != "" {
			t.Errorf("bob has jobs: %q, %v", out, err)
		}
	})

	root, err := c.Token(ctx, "root")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := c.Token(ctx, bob.name)
	if err != nil {
		t.Fatal(err)
	}
	seal := key(t, c).Seal(bob.name, "libra", "nonce 1")
	sold := jobID(posts(t, c, root, bob.name, "/job/submit", job(c, "libra", "nonce 1", seal)))
	if sold == 0 || !strings.HasPrefix(state(sold), "PENDING 0 libra") {
		t.Fatalf("a sealed job is number %d: %s", sold, state(sold))
	}

	t.Run("a seal fits one user and one comment", func(t *testing.T) {
		other := key(t, c).Seal(alice, "libra", "nonce 2")
		for what, body := range map[string]map[string]any{
			"alice's":         job(c, "libra", "nonce 2", other),
			"another comment": job(c, "libra", "nonce 3", seal),
			"no comment":      job(c, "libra", "", seal),
			"more partitions": job(c, "libra,plain", "nonce 1", seal),
			"half a seal":     job(c, "libra", "nonce 1", seal[:8]),
		} {
			if answer := posts(t, c, mine, bob.name, "/job/submit", body); jobID(answer) != 0 {
				t.Errorf("%s: %s", what, answer)
			}
		}
		// The user's own seal, used again, opens the door to a job that is held.
		again := jobID(posts(t, c, mine, bob.name, "/job/submit", job(c, "libra", "nonce 1", seal)))
		if again == 0 || !strings.HasPrefix(state(again), "PENDING 0") {
			t.Errorf("the own seal again: %d, %s", again, state(again))
		}
		if out, ok := bob.runs("scontrol", "release", fmt.Sprint(again)); ok {
			t.Errorf("bob released it: %s", out)
		}
	})

	t.Run("terms stay what they are", func(t *testing.T) {
		before := state(sold)
		id := fmt.Sprint(sold)
		for _, argv := range [][]string{
			{"scontrol", "release", id},
			{"scontrol", "update", "jobid=" + id, "priority=1000"},
			{"scontrol", "update", "jobid=" + id, "partition=plain"},
			{"scontrol", "update", "jobid=" + id, "nodelist=" + c.Nodes[1]},
			{"scontrol", "update", "jobid=" + id, "timelimit=1"},
			{"scontrol", "update", "jobid=" + id, "comment=other"},
			{"scontrol", "update", "jobid=" + id, "requeue=1"},
			{"scontrol", "update", "jobid=" + id, "name=other"},
			{"scontrol", "top", id},
		} {
			if out, ok := bob.runs(argv...); ok {
				t.Errorf("%v: %s", argv, out)
			}
		}
		_ = posts(t, c, mine, bob.name, "/job/"+id, map[string]any{"hold": false})
		_ = posts(t, c, mine, bob.name, "/job/"+id, map[string]any{"priority": 1000})
		if after := state(sold); after != before {
			t.Errorf("the job was %q and is %q", before, after)
		}
	})

	t.Run("other partitions are left alone", func(t *testing.T) {
		out, ok := bob.runs("sbatch", "--parsable", "-p", "plain", "-o", "/dev/null", "--wrap", "sleep 60")
		if !ok {
			t.Fatal(out)
		}
		if said, ok := bob.runs("scontrol", "update", "jobid="+out, "comment=mine"); !ok {
			t.Error(said)
		}
		held, ok := bob.runs("sbatch", "--parsable", "-H", "-p", "plain", "-o", "/dev/null", "--wrap", "sleep 60")
		if !ok {
			t.Fatal(held)
		}
		if said, ok := bob.runs("scontrol", "update", "jobid="+held, "partition=libra"); ok {
			t.Errorf("a job was moved in: %s", said)
		}
		if said, ok := bob.runs("scontrol", "release", held); !ok {
			t.Error(said)
		}
		if said, ok := bob.runs("scancel", out, held); !ok {
			t.Error(said)
		}
	})

	t.Run("root does as it likes", func(t *testing.T) {
		if out, err := c.Run(ctx, "scontrol", "release", fmt.Sprint(sold)); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		for end := time.Now().Add(3 * time.Minute); !strings.HasPrefix(state(sold), "RUNNING"); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("released by root, it is %s", state(sold))
			}
		}
		if out, ok := bob.runs("scontrol", "requeue", fmt.Sprint(sold)); ok {
			t.Errorf("bob requeued it: %s", out)
		}
		if out, ok := bob.runs("scancel", fmt.Sprint(sold)); !ok {
			t.Errorf("bob may not cancel what is bob's: %s", out)
		}
		if out, err := c.Run(ctx, "sbatch", "-p", "libra", "-o", "/dev/null", "--wrap", "true"); err != nil {
			t.Error(out, err)
		}
	})
}

// A site may have jobs held that it would not refuse.
func TestDoorHolds(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 1, Door: true, DoorHolds: true, NoRest: true})
	bob := &cheat{t, c, slurmtest.User(t, slurmtest.Bob)}
	out, ok := bob.runs("sbatch", "-p", "libra", "-o", "/dev/null", "--wrap", "true")
	if !ok || !strings.Contains(out, "libra sbatch script.sh") || !strings.Contains(out, "held") {
		t.Fatalf("bob is told %q", out)
	}
	fields := strings.Fields(out)
	id := fields[len(fields)-1]
	if said, ok := bob.runs("scontrol", "release", id); ok {
		t.Errorf("bob released it: %s", said)
	}
	if text, err := c.Run(t.Context(), "scontrol", "-o", "show", "job", id); err != nil || !strings.Contains(text, "Priority=0 ") || !strings.Contains(text, "AdminComment=libra: not bought") {
		t.Errorf("it is %s, %v", text, err)
	}
}
