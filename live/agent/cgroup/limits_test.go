package cgroup

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

var wrongLimits = []Limits{
	{CPU: math.NaN()},
	{CPU: math.Inf(1)},
	{CPU: 0.5, Weight: -1},
	{CPU: 0.5, Weight: math.NaN()},
	{CPU: 0.5, Weight: math.Inf(1)},
	{CPU: 0.5, Memory: -1},
	{CPU: 0.5, Memory: math.MaxInt64},
	{CPU: 0.5, Pids: -1},
	{CPU: 0.5, CPUs: []int{}},
	{CPU: 0.5, CPUs: []int{-1}},
}

func TestWrongLimitsAreRefused(t *testing.T) {
	for _, l := range wrongLimits {
		if _, err := l.normal(); !errors.Is(err, ErrLimits) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestQuota(t *testing.T) {
	for _, c := range []struct {
		cpu  float64
		want int64
	}{
		{-1, noQuota},
		{1, 100_000},
		{0.07, 7000}, // times 100000 it is a little more in floating point
		{0.3, 30_000},
		{1.0 / 3, 33_334},
		{0.0100001, 1001},
		{0.01, 1000},
		{0.0001, 1000},
		{2.5, 250_000},
	} {
		if got := quota(c.cpu); got != c.want {
			t.Errorf("quota of %v is %d, want %d", c.cpu, got, c.want)
		}
	}
}

func TestAQuotaIsNoLessThanTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cpu := rapid.Float64Range(1e-9, 1000).Draw(t, "cpu")
		q := quota(cpu)
		if got := float64(q) / periodUS; got < cpu*(1-1e-9) || got > max(cpu, 0.01)+1.0/periodUS {
			t.Fatalf("share %v has a quota of %d us", cpu, q)
		}
	})
}

func TestCPUList(t *testing.T) {
	for _, c := range []struct {
		cpus []int
		want string
	}{
		{nil, ""}, {[]int{3}, "3"}, {[]int{0, 1}, "0-1"}, {[]int{0, 1, 2, 5, 7, 8}, "0-2,5,7-8"},
	} {
		if got := cpuList(c.cpus); got != c.want {
			t.Errorf("%v is written %q, want %q", c.cpus, got, c.want)
		}
	}
}

func TestScaledWeightsStayInRange(t *testing.T) {
	for _, c := range []struct {
		weight float64
		want   int64
	}{{1, 100}, {0.5, 50}, {0.001, 1}, {1e9, 10_000}, {2.345, 235}} {
		if got := scaled(c.weight, v2Weight, v2WeightLeast, v2WeightMost); got != c.want {
			t.Errorf("weight %v is %d, want %d", c.weight, got, c.want)
		}
	}
}

func TestAllot(t *testing.T) {
	for _, c := range []struct {
		name     string
		capacity float64
		claims   []claim
		want     []float64
	}{
		{"by weight", 0.8, []claim{{-1, 1, -1}, {-1, 3, -1}}, []float64{0.2, 0.6}},
		{"what one leaves", 0.8, []claim{{-1, 1, -1}, {-1, 1, -1}, {-1, 2, 0.2}}, []float64{0.3, 0.3, 0.2}},
		{"a limit", 0.8, []claim{{0.1, 4, -1}, {-1, 1, -1}, {-1, 3, -1}}, []float64{0.1, 0.175, 0.525}},
		{"more than all need", 2, []claim{{0.5, 1, -1}, {-1, 1, 0.3}}, []float64{0.5, 0.3}},
		{"no capacity", -1, []claim{{0.5, 1, 0.1}, {-1, 1, 0.3}}, []float64{0.5, -1}},
		{"nobody", 1, nil, nil},
	} {
		got := allot(c.capacity, c.claims)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

func TestAllotIsFairAndWastesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Float64Range(0.01, 8).Draw(t, "capacity")
		bound := rapid.OneOf(rapid.Just(-1.0), rapid.Float64Range(0, 4))
		claims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) claim {
			return claim{bound.Draw(t, "limit"), rapid.Float64Range(0.01, 100).Draw(t, "weight"), bound.Draw(t, "need")}
		}), 1, 12).Draw(t, "claims")
		got := allot(capacity, claims)
		sum, wanted, level := 0.0, 0.0, math.Inf(-1)
		for i, c := range claims {
			sum += got[i]
			most, bounded := c.most()
			if !bounded {
				most = math.Inf(1)
			}
			wanted += most
			if got[i] < 0 || got[i] > most*(1+1e-9) {
				t.Fatalf("claim %d: %v of %v", i, got[i], most)
			}
			if got[i] < most*(1-1e-9) { // could use more: nobody may have more by weight
				level = max(level, got[i]/c.weight)
			}
		}
		if want := min(capacity, wanted); math.Abs(sum-want) > 1e-6*want+1e-12 {
			t.Fatalf("gave %v in all, want %v", sum, want)
		}
		if math.IsInf(level, -1) {
			return
		}
		for i, c := range claims {
			if most, bounded := c.most(); (!bounded || got[i] < most*(1-1e-9)) && got[i]/c.weight < level*(1-1e-6) {
				t.Fatalf("claim %d has %v by weight, another %v", i, got[i]/c.weight, level)
			}
		}
	})
}
