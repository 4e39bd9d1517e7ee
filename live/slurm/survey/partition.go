package survey

import (
	"strconv"
	"strings"
)

// limits judges what a partition keeps from jobs: what breaks promises is wrong, and what
// the market knows and refuses by is told.
func limits(partition, name string, largest int) []Finding {
	var found []Finding
	value := func(key string) string { return setting(partition, key) }
	if value("ExclusiveUser") == "YES" {
		found = append(found, wrongf("partition %s gives a node to one user at a time (ExclusiveUser=YES): jobs of others that were sold a share there would wait; set ExclusiveUser=NO", name))
	}
	if value("ReqResv") == "YES" {
		found = append(found, wrongf("partition %s takes jobs of a reservation alone (ReqResv=YES), and the market's have none; set ReqResv=NO", name))
	}
	if least, err := strconv.Atoi(value("MinNodes")); err == nil && least > 1 {
		found = append(found, wrongf("partition %s takes no job on fewer than %d nodes (MinNodes), and the market sells single processors; set MinNodes=1", name, least))
	}
	if most, err := strconv.Atoi(value("MaxCPUsPerNode")); err == nil && most < largest {
		found = append(found, wrongf("partition %s uses %d processors of a node at most (MaxCPUsPerNode), and a node has %d: what is sold beyond would wait; leave MaxCPUsPerNode out", name, most, largest))
	}
	if mode := value("PreemptMode"); mode != "" && mode != "OFF" {
		found = append(found, good("PreemptMode=%s: jobs of a partition with a higher PriorityTier may end the market's, which begin again", mode))
	}
	for _, limit := range []struct{ key, none, means string }{
		{"MaxTime", "UNLIMITED", "a job whose deadline is further away is refused"},
		{"MaxNodes", "UNLIMITED", "a job on more nodes is refused"},
		{"MaxMemPerCPU", "UNLIMITED", "a job that wants more is refused"},
		{"MaxMemPerNode", "UNLIMITED", "a job that wants more is refused"},
		{"AllowGroups", "ALL", "jobs of users outside these groups are refused by Slurm, and owe nothing"},
		{"AllowAccounts", "ALL", "jobs of other accounts are refused"},
		{"DenyAccounts", "", "jobs of these accounts are refused"},
		{"AllowQos", "ALL", "jobs of another QOS are refused"},
		{"DenyQos", "", "jobs of these QOS are refused"},
		{"QoS", "N/A", "its limits hold for all jobs of the partition"},
	} {
		if is := value(limit.key); is != "" && is != limit.none && !strings.HasPrefix(is, "(null)") {
			found = append(found, good("%s=%s: %s", limit.key, is, limit.means))
		}
	}
	return found
}

// hoards tells who may hold all memory of a node: with one processor, at its price, whoever asks for
// it, unless Slurm bounds how much goes with a processor, in the partition or in all.
func hoards(partition, conf string) []Finding {
	for _, text := range []string{partition, conf} {
		if most, err := strconv.Atoi(setting(text, "MaxMemPerCPU")); err == nil && most > 0 {
			return nil
		}
	}
	return []Finding{good("no MaxMemPerCPU: one processor may come with all memory of its node; unless memory has a price of its own (rates.memory_gb_hour), set MaxMemPerCPU to a processor's part of it")}
}
