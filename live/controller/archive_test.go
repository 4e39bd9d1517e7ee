package controller_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// settledFloor is a floor whose jobs have ended, with a log that no start needs but for its
// end.
func settledFloor(t *testing.T, address string, jobs int) *floor {
	t.Helper()
	f := openOn(t, address, func(c *controller.Config) { c.SnapshotEvery = 1 << 30 })
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/bob", User: "bob"}}, "")
	f.money("grant", "lab/bob", 1000)
	for i := range jobs {
		who := alice
		if i%3 == 0 {
			who.User = "bob"
		}
		r := trade.Request{EstimateMS: 10_000, DeadlineMS: int64(20_000 + i), Name: fmt.Sprint("job ", i), Script: "#!/bin/sh\n# <&> 'é'\n" + strings.Repeat("echo work\n", 30), Env: []string{"A=b"}}
		o, _ := f.do(trade.Command{By: who, Submit: &trade.Submit{Request: r}}, fmt.Sprint("key ", i))
		if i%5 == 4 {
			f.do(trade.Command{By: who, Cancel: &trade.Cancel{Job: o.Job.ID}}, "")
		}
		for _, one := range f.orders("n1", 1) {
			f.ended("n1", one.Spec.Key, time.Duration(1+i%7)*time.Second)
		}
		f.orders("n1", 0)
	}
	f.restart()
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/bob", Amount: 1}}, "")
	f.restart() // a second snapshot: those before it are not needed
	return f
}

// asked is all that is asked of a market about what was.
func (f *floor) asked(jobs int) string {
	f.Helper()
	var all strings.Builder
	for id := range int64(jobs) {
		fmt.Fprintln(&all, text(f.T, f.job(id+1)))
	}
	first, last := f.job(1), f.job(int64(jobs))
	middle := (first.SubmittedUS + last.SubmittedUS) / 2
	for _, account := range []string{"lab/alice", "lab/bob", "lab"} {
		for _, period := range [][2]int64{{0, math.MaxInt64}, {0, middle}, {middle, last.SubmittedUS}} {
			fmt.Fprintln(&all, text(f.T, have(f.Statement(f.Context(), account, true, period[0], period[1]))(f.T)))
			fmt.Fprintln(&all, text(f.T, have(f.Usage(f.Context(), account, period[0], period[1]))(f.T)))
		}
	}
	fmt.Fprintln(&all, text(f.T, have(f.History(f.Context(), 0, 1000))(f.T)))
	fmt.Fprintln(&all, text(f.T, have(f.Log(f.Context(), 0, 10_000))(f.T)))
	fmt.Fprintln(&all, text(f.T, have(f.VerifyLedger(f.Context()))(f.T)))
	strict, err := controller.CheckStrictly(f.Context(), f.whole, "test", nil)
	if err != nil {
		f.Fatal(err)
	}
	fmt.Fprintln(&all, text(f.T, strict))
	return all.String()
}

// What people and tools ask of the past is answered to the last micro when the log is in
// files: jobs with their programs, receipts, statements, usage, history, the log itself, a
// strict replay and the check of the books.
func TestArchivedIsAnswered(t *testing.T) {
	const jobs = 24
	address := filepath.Join(t.TempDir(), "libra.db")
	f := settledFloor(t, address, jobs)
	dir := filepath.Join(t.TempDir(), "archive")
	f.whole = archive.Whole(f.store, dir)
	before := f.asked(jobs)
	if _, _, err := f.store.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := (&archive.Mover{Store: f.store, Dir: dir}).Move(t.Context(), math.MaxInt64, 1)
	if err != nil || r.Archive == nil || r.Archive.Last < 2*jobs {
		t.Fatalf("%+v, %v", r, err)
	}
	f.stop()
	<-f.Done()
	f.start(f.whole)
	if after := f.asked(jobs); after != before {
		t.Errorf("something is answered otherwise: %s", firstDifference(before, after))
	}

	// Without the files all but programs and the log is answered, and a check says what
	// it has not read.
	f.stop()
	<-f.Done()
	f.start(f.store)
	j := f.job(3)
	if j.Archived == 0 || j.Request.Script != "" || j.Receipt == nil {
		t.Errorf("%+v", j)
	}
	v, err := f.VerifyLedger(t.Context())
	if err != nil || v.Problem != "" || v.Unread != r.Archive.Last {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := f.Log(t.Context(), 0, 10); err == nil {
		t.Error("the log is read from its middle on")
	}
	f.stop()
	<-f.Done()
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	look := func(dir string) (v string, unread int64) {
		past, err := store.OpenPast(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer past.Close()
		got, found, err := controller.VerifyStore(t.Context(), archive.WholePast(past, dir))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(found, "; "), got.Unread
	}
	if found, unread := look(dir); found != "" || unread != 0 {
		t.Errorf("with the files: %s, %d not read", found, unread)
	}
	if found, unread := look(t.TempDir()); found != "" || unread != r.Archive.Last {
		t.Errorf("without: %s, %d not read", found, unread)
	}
	path := filepath.Join(dir, r.Archive.File)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	good[len(good)/2] ^= 4
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, _ := look(dir); !strings.Contains(found, r.Archive.File) {
		t.Errorf("a spoilt file: %q", found)
	}
}

// Where both snapshots are spoilt the state is made of the whole log, from the files on.
func TestSnapshotsAreGoneAndTheLogIsInFiles(t *testing.T) {
	address := filepath.Join(t.TempDir(), "libra.db")
	f := settledFloor(t, address, 6)
	dir := filepath.Join(t.TempDir(), "archive")
	if _, _, err := f.store.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := (&archive.Mover{Store: f.store, Dir: dir}).Move(t.Context(), math.MaxInt64, 1); err != nil || r.Archive == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	want := text(t, have(f.Accounts(t.Context(), ""))(t))
	f.stop()
	<-f.Done()
	db, err := sql.Open("sqlite", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE snapshots SET digest = x'00'"); err != nil {
		t.Fatal(err)
	}
	if _, err := controller.Start(t.Context(), f.store, f.cfg); err == nil || !strings.Contains(err.Error(), "archive files") {
		t.Errorf("without the files: %v", err)
	}
	f.start(archive.Whole(f.store, dir))
	if got := text(t, have(f.Accounts(t.Context(), ""))(t)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.verify()
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			at := 0
			for at < min(len(x[i]), len(y[i])) && x[i][at] == y[i][at] {
				at++
			}
			return fmt.Sprintf("line %d:\n%s\n%s", i, x[i][max(0, at-60):min(len(x[i]), at+60)], y[i][max(0, at-60):min(len(y[i]), at+60)])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// What stays of a program that is in a file cannot be taken for a request, nor a request
// for that: a job that says where its program is would be given what is there.
func TestNoRequestLooksArchived(t *testing.T) {
	request := reflect.TypeFor[trade.Request]()
	for i := range request.NumField() {
		name, _, _ := strings.Cut(request.Field(i).Tag.Get("json"), ",")
		if strings.EqualFold(cmp.Or(name, request.Field(i).Name), "archived") {
			t.Errorf("%s is read as the place of a program", request.Field(i).Name)
		}
	}
}
