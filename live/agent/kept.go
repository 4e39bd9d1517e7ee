package agent

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// keptOfGroups is what the kernel keeps of the groups themselves, in bytes, and of what has ended, and holds
// ready for the next: it is counted with the tasks, and missing to one that was promised all the memory of a
// node that one would be taken to have filled the node and not what it asked for. Of each group the kernel
// counts for every processor that the machine could have: 100 groups took 1.24 MB where there are two.
func keptOfGroups(processors int) int64 {
	groups, each := 120+4*int64(processors), 8<<10+4<<10*int64(processors)
	return groups * each
}

// possibleProcessors is how many processors the kernel counts for, be they there or not.
func possibleProcessors() int {
	text, err := os.ReadFile("/sys/devices/system/cpu/possible")
	if err != nil {
		return runtime.NumCPU()
	}
	return max(runtime.NumCPU(), lastOf(string(text))+1)
}

// lastOf is the last number of a list like 0-3,8-11; -1: there is none.
func lastOf(list string) int {
	list = strings.TrimSpace(list)
	last, err := strconv.Atoi(list[strings.LastIndexAny(list, "-,")+1:])
	if err != nil || last >= 1<<14 { // more than a kernel counts for
		return -1
	}
	return last
}
