package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apiclient "github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// BenchmarkOnSlurm compares, on one real Slurm and in one run, jobs handed to
// slurmrestd by a plain program with the same jobs handed in through the market: until
// all are accepted, which is priced, admitted, paid for and written down for good, and
// until all are in Slurm, which takes them behind its back. As many clients at a time
// do either, and what reaches Slurm is the same, held and to one node.
//
// Slurm is taken as it is while jobs come and go, not as it is for its first minute:
// ext4 gives new files none of the inodes of files that were removed lately, and looks
// at every one of them, so that slurmctld, which makes a directory and two files for
// each job, needs up to three times as long from the moment it has removed some.
//
// Beside it stands the market by itself, for which agents would run the jobs, with
// the policy that is nearest to Slurm's and as many clients as suit it.
func BenchmarkOnSlurm(b *testing.B) {
	slurmtest.Require(b)
	alice := slurmtest.User(b, slurmtest.Alice)
	cluster := slurmtest.Start(b, slurmtest.Options{Nodes: 8, CPUs: 8, MinJobAge: 5 * time.Second}) // Slurm keeps 10,000 jobs at most, ended ones too
	raw, err := client.Open(b.Context(), client.Options{Rest: cluster.RestURL, Conf: cluster.Conf})
	if err != nil {
		b.Fatal(err)
	}
	m := openSlurmMarket(b, cluster, "libra", "agents", alice)
	for _, name := range cluster.Nodes { // nobody lets the jobs go, as in the other half
		h := task.Hello{Node: name, Processors: 8, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Runs: "slurm"}
		if _, err := m.backend.Hello(b.Context(), h); err != nil {
			b.Fatal(err)
		}
	}
	keepHeard(b, m.backend, cluster.Nodes)
	token, err := m.makeToken(b.Context(), alice, v1.RoleUser, "bench")
	if err != nil {
		b.Fatal(err)
	}
	through, err := apiclient.New(m.url(), token, apiclient.Options{})
	if err != nil {
		b.Fatal(err)
	}
	_, market := benchService(b, "fcfs-bf", 8, 1)
	const (
		jobs  = 400
		many  = 128 // clients of the market by itself,
		often = 2000
	)
	request := v1.Request{Argv: []string{"true"}, Dir: m.dir, EstimateMS: 60_000, DeadlineMS: 1_200_000}
	text, err := slurm.Script([]task.Spec{{
		Size: 1, Nodes: []string{cluster.Nodes[0]}, User: alice, Name: "true", Argv: request.Argv, Dir: m.dir, Output: "libra-1.out", Error: "libra-1.out",
	}})
	if err != nil {
		b.Fatal(err)
	}
	plain := newPlainSlurm(b, cluster, alice, text)
	alone := func(b *testing.B, clients int) time.Duration {
		return atOnce(b, clients, jobs, func(ctx context.Context, n int64) error {
			return plain.submit(ctx, fmt.Sprintf("raw:0123456789abcdef:%d", n), cluster.Nodes[n%8])
		})
	}
	clear := func() {
		if _, err := cluster.Run(b.Context(), "scancel", "--partition="+slurmtest.Partition); err != nil {
			b.Fatal(err)
		}
	}
	for range 2 {
		alone(b, 32)
	}
	clear()
	for listed := jobs; listed > 0; time.Sleep(time.Second) {
		list, err := raw.Jobs(b.Context(), slurmtest.Partition)
		if err != nil {
			b.Fatal(err)
		}
		listed = len(list)
	}
	for _, clients := range []int{8, 32} {
		b.Run(fmt.Sprintf("clients-%d", clients), func(b *testing.B) {
			var took [4][]time.Duration
			var used time.Duration // of processor time, for those through the market
			b.ResetTimer()
			bought := func() (accepted, inSlurm time.Duration) {
				before := m.backend.Measure()["slurm_submitted_total"]
				began, usedBefore := time.Now(), processorTime(b)
				accepted = atOnce(b, clients, jobs, func(ctx context.Context, _ int64) error {
					_, err := through.Submit(ctx, request, "")
					return err
				})
				for m.backend.Measure()["slurm_submitted_total"] < before+jobs && time.Since(began) < time.Minute {
					time.Sleep(time.Millisecond) // m.until would be up to 20 ms late
				}
				used += processorTime(b) - usedBefore
				return accepted, time.Since(began)
			}
			measure := func() {
				accepted, inSlurm := bought()
				took[1], took[3] = append(took[1], inSlurm), append(took[3], accepted)
			}
			for round := range 2 * b.N { // the more jobs Slurm has, the slower it is: they take turns at being first
				if round%2 == 0 {
					took[0] = append(took[0], alone(b, clients))
					measure()
				} else {
					measure()
					took[0] = append(took[0], alone(b, clients))
				}
				took[2] = append(took[2], atOnce(b, many, often, func(ctx context.Context, _ int64) error {
					_, err := market.Submit(ctx, request, "")
					return err
				}))
				b.StopTimer()
				inSlurm(b, raw, jobs)
				clearFloor(b, m.service)
				clear()
				m.until(b, "all jobs to be gone", func() bool { return m.backend.Measure()["slurm_runs"] == 0 })
				b.StartTimer()
			}
			rate := func(i, each int) float64 {
				sum := 0.0
				for _, d := range took[i] {
					sum += d.Seconds()
				}
				return float64(each*len(took[i])) / sum
			}
			ofSlurm, ofBoth, ofMarket, accepted := rate(0, jobs), rate(1, jobs), rate(2, often), rate(3, jobs)
			b.ReportMetric(ofSlurm, "slurmrestd-jobs/s")
			b.ReportMetric(accepted, "accepted-jobs/s")
			b.ReportMetric(100*accepted/ofSlurm, "accepted-%-of-slurmrestd")
			b.ReportMetric(ofBoth, "in-slurm-jobs/s")
			b.ReportMetric(100*ofBoth/ofSlurm, "in-slurm-%-of-slurmrestd")
			b.ReportMetric(float64(used.Microseconds())/float64(jobs*len(took[1])), "libra-cpu-µs/job")
			b.ReportMetric(ofMarket, "standalone-jobs/s")
			b.ReportMetric(ofMarket/ofSlurm, "standalone/slurmrestd")
		})
	}
}

// keepHeard has the agents of nodes speak as long as the benchmark lasts: where one is
// silent nothing more is sold.
func keepHeard(b *testing.B, backend *slurm.Backend, nodes []string) {
	b.Helper()
	speak := func() {
		for _, name := range nodes {
			if _, err := backend.Report(b.Context(), task.Report{Node: name}); err != nil && b.Context().Err() == nil {
				b.Errorf("%s is not heard: %v", name, err)
			}
		}
	}
	var speaking sync.WaitGroup
	done := make(chan struct{})
	speaking.Go(func() {
		for every := time.NewTicker(2 * time.Second); ; {
			select {
			case <-every.C:
				speak()
			case <-done:
				every.Stop()
				return
			}
		}
	})
	b.Cleanup(func() {
		close(done)
		speaking.Wait()
	})
}

// plainSlurm hands jobs to slurmrestd as a program would that knows nothing of Libra:
// with the client of the standard library.
type plainSlurm struct {
	http         *http.Client
	url, token   string
	user, script string
}

func newPlainSlurm(b *testing.B, cluster *slurmtest.Cluster, user, script string) *plainSlurm {
	b.Helper()
	token, err := cluster.Token(b.Context(), "root")
	if err != nil {
		b.Fatal(err)
	}
	return &plainSlurm{
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}},
		url:  cluster.RestURL + "/slurm/v0.0.38/job/submit", token: token, user: user, script: script,
	}
}

func (p *plainSlurm) submit(ctx context.Context, comment, node string) error {
	body, err := json.Marshal(map[string]any{"script": p.script, "job": map[string]any{
		"name": "true", "comment": comment, "partition": slurmtest.Partition, "nodes": 1, "nodelist": node, "tasks": 1, "minimum_cpus_per_node": 1,
		"time_limit": 60, "hold": true, "no_requeue": true, "current_working_directory": "/", "standard_output": "/dev/null",
		"environment": map[string]string{"PATH": "/usr/bin:/bin"},
	}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-SLURM-USER-NAME", p.user)
	req.Header.Set("X-SLURM-USER-TOKEN", p.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		ID int64 `json:"job_id"`
	}
	if err = json.NewDecoder(resp.Body).Decode(&answer); err == nil && answer.ID == 0 {
		err = fmt.Errorf("slurmrestd answers %s and no number of a job", resp.Status)
	}
	return err
}

// inSlurm checks that Slurm holds as many jobs of the market as it was sent.
func inSlurm(b *testing.B, batch client.Slurm, want int) {
	b.Helper()
	listed, err := batch.Jobs(b.Context(), slurmtest.Partition)
	if err != nil {
		b.Fatal(err)
	}
	held := 0
	for i := range listed {
		if strings.HasPrefix(listed[i].Comment, "libra:") && listed[i].Held {
			held++
		}
	}
	if held != want {
		b.Errorf("Slurm holds %d jobs of the market, want %d", held, want)
	}
}

// clearFloor cancels all jobs of a market, so that rounds are alike.
func clearFloor(b *testing.B, s *service) {
	b.Helper()
	jobs, err := s.market.Jobs(b.Context(), v1.JobQuery{States: []v1.State{v1.Running}, Limit: 10_000})
	if err != nil {
		b.Fatal(err)
	}
	for i := range jobs {
		if _, _, err := s.market.Do(b.Context(), trade.Command{By: ownHand, Cancel: &trade.Cancel{Job: jobs[i].ID}}, api.Key{}); err != nil {
			b.Fatal(err)
		}
	}
}

// atOnce does something so many times, from several sides, and says how long it
// took.
func atOnce(b *testing.B, clients int, times int64, do func(ctx context.Context, n int64) error) time.Duration {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range clients {
		all.Go(func() {
			for n := next.Add(1); n <= times; n = next.Add(1) {
				if err := do(b.Context(), n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}
