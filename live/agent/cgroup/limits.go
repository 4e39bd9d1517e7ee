package cgroup

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

const (
	// periodUS is the time in which a quota is given out, in microseconds.
	periodUS = 100_000
	// leastQuotaUS is the least that the kernel takes (v1 refuses less, and
	// leaves the group as it was).
	leastQuotaUS = 1000
	// noQuota stands for no limit.
	noQuota int64 = -1
)

// quota is the processor time per period in microseconds, rounded up, for a
// share that is not zero.
func quota(cpu float64) int64 {
	if cpu < 0 {
		return noQuota
	}
	// 0.07 * 100000 is a little more than 7000 in floating point: that little
	// is no reason to round up.
	q := math.Ceil(float64(cpu*periodUS) - 1e-6)
	return max(leastQuotaUS, int64(q))
}

// checkCapacity: a tree, unlike a group, cannot be frozen by its capacity.
func checkCapacity(cpu float64) error {
	if cpu == 0 {
		return fmt.Errorf("%w: capacity 0", ErrLimits)
	}
	return checkCPU(cpu)
}

func checkCPU(cpu float64) error {
	if math.IsNaN(cpu) || cpu > 1e6 {
		return fmt.Errorf("%w: cpu %v", ErrLimits, cpu)
	}
	return nil
}

func checkWeight(weight float64) error {
	if math.IsNaN(weight) || math.IsInf(weight, 0) || weight < 0 {
		return fmt.Errorf("%w: weight %v", ErrLimits, weight)
	}
	return nil
}

// normal is the limits with defaults filled in, in the one form in which equal
// limits look equal.
func (l Limits) normal() (Limits, error) {
	if err := checkCPU(l.CPU); err != nil {
		return l, err
	}
	if err := checkWeight(l.Weight); err != nil {
		return l, err
	}
	if l.Memory < 0 || l.Pids < 0 {
		return l, fmt.Errorf("%w: memory %d, pids %d", ErrLimits, l.Memory, l.Pids)
	}
	if l.CPU < 0 {
		l.CPU = -1
	}
	if l.Weight == 0 {
		l.Weight = 1
	}
	if page := int64(os.Getpagesize()); l.Memory%page != 0 {
		if l.Memory > math.MaxInt64-page {
			return l, fmt.Errorf("%w: memory %d", ErrLimits, l.Memory)
		}
		l.Memory += page - l.Memory%page
	}
	if l.CPUs != nil {
		l.CPUs = slices.Clone(l.CPUs)
		slices.Sort(l.CPUs)
		l.CPUs = slices.Compact(l.CPUs)
		if len(l.CPUs) == 0 || l.CPUs[0] < 0 {
			return l, fmt.Errorf("%w: processors %v", ErrLimits, l.CPUs)
		}
	}
	return l, nil
}

// scaled is a weight in the kernel's numbers: a multiple of its default, cut
// off where the kernel's range ends.
func scaled(weight float64, standard, least, most int64) int64 {
	w := math.Round(weight * float64(standard))
	return int64(min(max(w, float64(least)), float64(most)))
}

// cpuList writes sorted processors the way the kernel does: 0-2,5.
func cpuList(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(cpus[j]))
		}
		i = j + 1
	}
	return b.String()
}

// checkName refuses what cannot be a directory of a group. That it is not the
// name of one of the kernel's own files is seen when it is made.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || len(name) > 200 || strings.ContainsAny(name, "/\x00\n") {
		return fmt.Errorf("%w: %q", ErrName, name)
	}
	return nil
}
