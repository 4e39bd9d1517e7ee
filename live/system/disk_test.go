package system_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// The disk of the store is full: the market says so and takes nothing in half.
// What runs goes on, and all is well when there is room again.
func TestAFullDisk(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	disk := filepath.Join(scene(t), "disk")
	if err := errors.Join(os.Mkdir(disk, 0o755), syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m")); err != nil {
		t.Fatal(err)
	}
	b := newBazaar(t, terms{store: disk})
	t.Cleanup(func() { b.serve.kill(); _ = syscall.Unmount(disk, 0) }) // the guard does if this does not
	b.hire("n1", "--cpus", "0,1")
	c := b.user("root", 1000)
	going := submit(t, c, b.shell("sleep 3; echo ended > "+b.at("ended"), 10*time.Second)).ID
	taken := []int64{going}

	fill := filepath.Join(disk, "fill")
	impatient := b.impatient()
	fillUp(t, fill)
	key, refused := "", 0
	for i := 0; i < 2000 && refused < 3; i++ { // the log has some room of its own left
		key = fmt.Sprintf("full-%d", i)
		j, err := impatient.Submit(client.WithKey(t.Context(), key), b.shell("true", time.Second), "")
		switch p, _ := errors.AsType[*client.Problem](err); {
		case err == nil:
			taken = append(taken, j.ID)
		case p != nil && p.Status == http.StatusServiceUnavailable:
			refused++
			fillUp(t, fill)
		default:
			t.Fatalf("a full disk is answered by %v", err)
		}
	}
	if refused == 0 {
		t.Fatal("the disk was never full")
	}
	wantClosed(t, "health", impatient.Healthy(t.Context()))
	_, err := b.owner.MakeToken(t.Context(), v1.TokenRequest{User: "root", SystemUser: true})
	wantClosed(t, "a token", err)
	until(t, "the job to end on a full disk", func() bool { return text(t, b.at("ended")) != "" })
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	until(t, "the market to open again", func() bool { return impatient.Healthy(t.Context()) == nil })

	// The key that was refused last is as good as new.
	j, err := c.Submit(client.WithKey(t.Context(), key), b.shell("true", time.Second), "")
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Submit(client.WithKey(t.Context(), key), b.shell("true", time.Second), "")
	if err != nil || again.ID != j.ID {
		t.Errorf("the same key is answered with job %d, then with %d (%v)", j.ID, again.ID, err)
	}
	taken = append(taken, j.ID)
	for _, id := range taken {
		b.completed(id)
	}
	counts, err := b.owner.CountJobs(t.Context(), "")
	if err != nil || counts[v1.Completed] != int64(len(taken)) || len(counts) != 1 {
		t.Errorf("%d were taken, there are %v (%v)", len(taken), counts, err)
	}
	b.verify()
	t.Logf("%d taken, %d refused for want of room", len(taken), refused)

	// What is in the store is what was said. Started on a full disk, it waits and says why.
	b.serve.kill()
	b.open()
	if code := b.serve.end(syscall.SIGTERM, time.Minute); code != 0 {
		t.Fatalf("it ended with %d:\n%s", code, b.serve.said(2000))
	}
	fillUp(t, fill)
	b.serve = launch(t, b.dir, b.args...)
	until(t, "a reason", func() bool { return strings.Contains(stands(t, b.url).Reason, "no space left for the database") })
	wantClosed(t, "health", impatient.Healthy(t.Context()))
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	until(t, "the market to open again", func() bool { return stands(t, b.url).Status == "ok" })
	if now, err := b.owner.CountJobs(t.Context(), ""); err != nil || now[v1.Completed] != int64(len(taken)) {
		t.Errorf("after a restart there are %v (%v)", now, err)
	}
	b.verify()
}

func wantClosed(t testing.TB, what string, err error) {
	t.Helper()
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusServiceUnavailable {
		t.Errorf("%s: %v, want that the market is closed", what, err)
	}
}

// fillUp writes a file until the disk has no byte left.
func fillUp(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
