package system_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// The partition is the market's: sbatch alone is told where to go, libra sbatch
// takes the same script, and what is outside of the partition is as ever.
func theOnlyDoor(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 1, Door: true}, terms{}, 0.9)
	ctx := t.Context()
	home, uid := unixUser(t, alice, b.dir)
	b.user(alice, 1000)
	script := filepath.Join(home, "job.sh")
	content := "#!/bin/sh\n#SBATCH -J habit -t 1 -o habit-%j\n#LIBRA deadline=2m budget=100\nid -un; echo $LIBRA_NODE; echo $1\n"
	if err := os.WriteFile(script, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}

	out, err := b.slurm.RunAs(ctx, alice, "sbatch", "-p", slurmtest.Partition, script)
	if err == nil || !strings.Contains(out, "libra sbatch") {
		t.Errorf("past the door: %q, %v", out, err)
	}
	for _, comment := range []string{"libra", "libra:0:1.0:0", fmt.Sprintf("libra:%d", time.Now().Unix())} {
		if out, err = b.slurm.RunAs(ctx, alice, "sbatch", "-p", slurmtest.Partition, "--comment", comment, script); err == nil {
			t.Errorf("past the door with the comment %s: %q", comment, out)
		}
	}
	if out, err = b.slurm.RunAs(ctx, alice, "sbatch", "-p", slurmtest.PlainPartition, "-o", "/dev/null", "-D", home, script); err != nil {
		t.Errorf("another partition: %q, %v", out, err)
	}

	token, err := b.owner.MakeToken(ctx, v1.TokenRequest{User: alice})
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(home, "token")
	if err = os.WriteFile(key, []byte(token.Secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if err = os.Chown(key, uid, uid); err != nil {
		t.Fatal(err)
	}
	out = good(t, home, "setpriv", "--reuid="+alice, "--regid="+alice, "--init-groups", binary(), "sbatch", "--server", b.url, "--token-file", key, script, "hello")
	number := regexp.MustCompile(`^Submitted batch job (\d+)\n$`).FindStringSubmatch(out)
	if number == nil {
		t.Fatalf("libra sbatch said %q", out)
	}
	var id int64
	if _, err = fmt.Sscan(number[1], &id); err != nil {
		t.Fatal(err)
	}
	known, err := b.owner.Jobs(ctx, v1.JobQuery{Batch: id})
	if err != nil || len(known.Jobs) != 1 {
		t.Fatalf("Slurm's job %d is %v, %v", id, known.Jobs, err)
	}
	j := b.completed(known.Jobs[0].ID)
	want := fmt.Sprintf("%s\n%s\nhello\n", alice, b.slurm.Nodes[0])
	if said := text(t, filepath.Join(home, "habit-"+number[1])); said != want || j.Name != "habit" || j.Charged == 0 || j.EndedUS > j.DueUS {
		t.Errorf("it wrote %q, want %q; %+v", said, want, j)
	}
	b.verify()
}
