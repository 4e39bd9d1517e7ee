package cgroup

import (
	"strconv"
	"testing"
)

// benchmarks run with what the kernel offers, and with signals.
func benchmarks(b *testing.B, run func(*testing.B, Tree)) {
	tree, err := Open(treeName(), Options{})
	must(b, err)
	kind := tree.Kind()
	must(b, tree.Remove())
	for _, k := range []string{kind, Signals} {
		b.Run(k, func(b *testing.B) { run(b, openTree(b, world{kind: k})) })
		if kind == Signals {
			break
		}
	}
}

func made(b *testing.B, tree Tree) Group {
	b.Helper()
	g, err := tree.Make("job", Limits{CPU: 0.5})
	must(b, err)
	return g
}

func BenchmarkMakeAndRemove(b *testing.B) {
	benchmarks(b, func(b *testing.B, tree Tree) {
		for b.Loop() {
			must(b, made(b, tree).Remove())
		}
	})
}

func BenchmarkSetQuota(b *testing.B) {
	benchmarks(b, func(b *testing.B, tree Tree) {
		g := made(b, tree)
		for i := 0; b.Loop(); i++ {
			must(b, g.Set(Limits{CPU: 0.1 + 0.001*float64(i%500)}))
		}
	})
}

func BenchmarkSetTheSame(b *testing.B) {
	benchmarks(b, func(b *testing.B, tree Tree) {
		g := made(b, tree)
		for b.Loop() {
			must(b, g.Set(Limits{CPU: 0.5}))
		}
	})
}

func BenchmarkUsage(b *testing.B) {
	for _, n := range []int{0, 1, 10} {
		b.Run(strconv.Itoa(n)+" processes", func(b *testing.B) {
			benchmarks(b, func(b *testing.B, tree Tree) {
				g := made(b, tree)
				for range n {
					start(b, g, "sleep", 0)
				}
				for b.Loop() {
					_, err := g.Usage()
					must(b, err)
				}
			})
		})
	}
}

func BenchmarkFreezeAndThaw(b *testing.B) {
	benchmarks(b, func(b *testing.B, tree Tree) {
		g := made(b, tree)
		start(b, g, "busy", 1)
		for b.Loop() {
			must(b, g.Freeze())
			must(b, g.Thaw())
		}
	})
}
