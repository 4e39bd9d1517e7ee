package client_test

import (
	"testing"

	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// BenchmarkClient measures what a call costs with a real Slurm: submissions, eight
// at a time, and listings of what they leave.
func BenchmarkClient(b *testing.B) {
	slurmtest.Require(b)
	for name, door := range map[string]bool{"open": false, "door": true} {
		b.Run(name, func(b *testing.B) {
			c := slurmtest.Start(b, slurmtest.Options{Nodes: 2, Door: door})
			alice := slurmtest.User(b, slurmtest.Alice)
			job := client.Submission{
				Name: "bench", Comment: "libra:bench", User: alice, Partition: slurmtest.Partition, Nodes: c.Nodes[:1], Tasks: 1, CPUs: 1,
				Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Output: "/dev/null", Script: "#!/bin/sh\ntrue\n",
			}
			for _, way := range []struct {
				name    string
				options client.Options
			}{
				{"rest", client.Options{Rest: c.RestURL, Conf: c.Conf, DoorKey: c.DoorKey, ListByRest: true}},
				{"commands", client.Options{Conf: c.Conf}},
			} {
				s, err := client.Open(b.Context(), way.options)
				if err != nil {
					b.Fatal(err)
				}
				b.Run("submit/"+way.name, func(b *testing.B) {
					b.SetParallelism(4)
					b.RunParallel(func(pb *testing.PB) {
						for pb.Next() {
							if _, err := s.Submit(b.Context(), job); err != nil {
								b.Error(err)
							}
						}
					})
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
				})
				b.Run("list/"+way.name, func(b *testing.B) {
					jobs := 0
					for b.Loop() {
						list, err := s.Jobs(b.Context(), slurmtest.Partition)
						if err != nil {
							b.Fatal(err)
						}
						jobs = len(list)
					}
					b.ReportMetric(float64(jobs), "jobs")
				})
			}
		})
	}
}
