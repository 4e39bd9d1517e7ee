package agent

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

// busy uses some processor time.
const busy = `i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; `

// refineUntilTold is an optional part that leaves its result when it is told to end.
const refineUntilTold = `exec 2>/dev/null; trap 'echo result; exit 0' TERM; echo $LIBRA_PART; while :; do sleep 0.05; done`

func (n *node) parts(job int64, script string, optional ...string) task.Order {
	order := n.shell(job, script)
	order.Spec.Optional = &task.Optional{Argv: optional}
	order.Spec.Output, order.Spec.Error = "out-%j", "out-%j"
	order.CPU = 1
	return order
}

// part waits until a task is reported to be with a part.
func (n *node) part(t *testing.T, key task.Key, want task.Part) task.Status {
	t.Helper()
	var got task.Status
	until(t, "the "+string(want)+" part", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		got = n.last[key]
		return got.Part == want
	})
	return got
}

func TestTheOptionalPartFollowsTheMandatoryOne(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.parts(1, busy+`echo $LIBRA_PART; echo fd $LIBRA_MANDATORY_DONE_FD; (setsid sleep 1000 &)`, "sh", "-c", refineUntilTold)
	n.order(order)
	key := order.Spec.Key
	got := n.part(t, key, task.OptionalPart)
	if got.State != task.Running || got.MandatoryCPUUS == 0 || got.CPUUS < got.MandatoryCPUUS {
		t.Errorf("with its optional part it is reported as %s, %d of %d us", show(got), got.MandatoryCPUUS, got.CPUUS)
	}
	until(t, "its output", func() bool { return n.has("out-1", "optional\n") })
	if got.MandatoryAgoUS <= 0 || got.MandatoryUS != 0 {
		t.Errorf("its mandatory part was done %d us ago, at %d", got.MandatoryAgoUS, got.MandatoryUS)
	}
	n.reorder(key, func(o *task.Order) { o.Stop = task.Terminate })
	end := n.end(t, key)
	if end.State != task.Ended || end.Part != task.OptionalPart || end.MandatoryCPUUS != got.MandatoryCPUUS || end.Error != "" {
		t.Errorf("ended as %s, %d us", show(end), end.MandatoryCPUUS)
	}
	if end.MandatoryAgoUS <= end.AgoUS || end.MandatoryAgoUS >= end.AgoUS+end.RanUS {
		t.Errorf("it ran for %d us and ended %d us ago, and its mandatory part was done %d us ago", end.RanUS, end.AgoUS, end.MandatoryAgoUS)
	}
	if text := n.file("out-1"); text != "mandatory\nfd\noptional\nresult\n" {
		t.Errorf("wrote %q", text)
	}
	n.empty()
}

func TestAProgramSaysWhenItsMandatoryPartIsDone(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.parts(1, busy+`exec 2>/dev/null; trap 'echo result; exit 0' TERM; echo 3; echo done >&$LIBRA_MANDATORY_DONE_FD; echo 3.1
		echo again >&$LIBRA_MANDATORY_DONE_FD; until [ -e go ]; do sleep 0.02; done; `+busy+`while :; do sleep 0.05; done`)
	n.order(order)
	key := order.Spec.Key
	got := n.part(t, key, task.OptionalPart)
	if got.MandatoryCPUUS == 0 {
		t.Errorf("its first part used nothing: %s", show(got))
	}
	if err := os.WriteFile(n.dir+"/go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "more processor time", func() bool { return n.used(key).Microseconds() > got.MandatoryCPUUS+1000 })
	n.reorder(key, func(o *task.Order) { o.Stop = task.Terminate })
	end := n.end(t, key)
	if !end.Good() || end.Part != task.OptionalPart || end.MandatoryCPUUS != got.MandatoryCPUUS || end.CPUUS <= end.MandatoryCPUUS {
		t.Errorf("ended as %s, %d of %d us", show(end), end.MandatoryCPUUS, end.CPUUS)
	}
	if text := n.file("out-1"); text != "3\n3.1\nresult\n" {
		t.Errorf("wrote %q", text)
	}
}

// Nothing optional follows a mandatory part that failed or was stopped, and what
// is wrong with the optional part is not the mandatory one's fault.
func TestHowPartsEnd(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	tests := []struct {
		name     string
		script   string
		optional []string
		stop     bool
		state    task.State
		part     task.Part
		exit     int
		output   string
		reason   string
	}{
		{"mandatory fails", "echo a; exit 3", []string{"echo", "b"}, false, task.Ended, task.MandatoryPart, 3, "a\n", ""},
		{"optional fails", "echo a", []string{"sh", "-c", "echo b; exit 4"}, false, task.Ended, task.OptionalPart, 4, "a\nb\n", ""},
		{"optional ends", "echo a", []string{"echo", "b"}, false, task.Ended, task.OptionalPart, 0, "a\nb\n", ""},
		{"optional cannot start", "echo a", []string{"no-such-program"}, false, task.Ended, task.OptionalPart, 127, "a\n", "no such program: no-such-program"},
		{"mandatory cannot start", "", []string{"echo", "b"}, false, task.Refused, task.MandatoryPart, 0, "", "no such program: "},
		{
			"stopped in time", `exec 2>/dev/null; trap 'echo stopped; exit 0' TERM; echo a; while :; do sleep 0.05; done`,
			[]string{"echo", "b"},
			true, task.Ended, task.MandatoryPart, 0, "a\nstopped\n", "",
		},
		{"says nothing", "echo a", nil, false, task.Ended, task.MandatoryPart, 0, "a\n", ""},
		{"closes the line", "exec 3>&-; echo a", nil, false, task.Ended, task.MandatoryPart, 0, "a\n", ""},
		{"no whole line", "printf x >&3; echo a", nil, false, task.Ended, task.MandatoryPart, 0, "a\n", ""},
	}
	for i, test := range tests {
		order := n.parts(int64(i), test.script, test.optional...)
		if test.script == "" {
			order.Spec.Argv = []string{"no-such-program"}
		}
		n.order(order)
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key := task.Key{Job: int64(i)}
			if test.stop {
				until(t, "its first line", func() bool { return n.has("out-5", "a\n") })
				n.reorder(key, func(o *task.Order) { o.Stop = task.Terminate })
			}
			got := n.end(t, key)
			if got.State != test.state || got.Part != test.part && test.state == task.Ended || got.Exit != test.exit || !strings.Contains(got.Error, test.reason) {
				t.Errorf("ended as %s in its %s part, want %s, %s, exit %d, %q", show(got), got.Part, test.state, test.part, test.exit, test.reason)
			}
			if test.state == task.Ended {
				if text := n.file("out-" + key.String()[:1]); text != test.output {
					t.Errorf("wrote %q, want %q", text, test.output)
				}
			}
		})
	}
	n.empty()
}

// The shepherd goes from one part to the other without an agent, and an agent
// that comes back finds out.
func TestPartsOutliveTheirAgent(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.parts(1, busy+`echo a; until [ -e go ]; do sleep 0.02; done`, "sh", "-c", refineUntilTold)
	n.order(order)
	key := order.Spec.Key
	until(t, "its first line", func() bool { return n.has("out-1", "a\n") })
	if got := n.part(t, key, task.MandatoryPart); got.MandatoryCPUUS != 0 {
		t.Errorf("%s, %d us", show(got), got.MandatoryCPUUS)
	}
	n.stop()
	if err := os.WriteFile(n.dir+"/go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "the second part", func() bool { return n.has("out-1", "optional\n") })
	n.start()
	got := n.part(t, key, task.OptionalPart)
	n.stop()
	n.start() // and one more
	if again := n.part(t, key, task.OptionalPart); again.MandatoryCPUUS != got.MandatoryCPUUS || again.MandatoryDeclinedUS != got.MandatoryDeclinedUS || got.MandatoryCPUUS == 0 {
		t.Errorf("first %d and %d us, then %d and %d", got.MandatoryCPUUS, got.MandatoryDeclinedUS, again.MandatoryCPUUS, again.MandatoryDeclinedUS)
	}
	n.reorder(key, func(o *task.Order) { o.Stop = task.Terminate })
	if end := n.end(t, key); !end.Good() || end.MandatoryCPUUS != got.MandatoryCPUUS {
		t.Errorf("ended as %s", show(end))
	}
	if text := n.file("out-1"); text != "a\noptional\nresult\n" {
		t.Errorf("wrote %q", text)
	}
}

// Where there are only signals, parts follow each other all the same.
func TestPartsBySignals(t *testing.T) {
	t.Parallel()
	n := newPlainNode(t)
	n.startProcess()
	order := n.parts(1, busy+"echo a", "sh", "-c", refineUntilTold)
	n.order(order)
	n.part(t, order.Spec.Key, task.OptionalPart)
	until(t, "the second part", func() bool { return n.has("out-1", "optional\n") })
	n.reorder(order.Spec.Key, func(o *task.Order) { o.Stop = task.Terminate })
	if end := n.end(t, order.Spec.Key); end.State != task.Ended || end.Part != task.OptionalPart || end.MandatoryCPUUS == 0 {
		t.Errorf("ended as %s, %d us", show(end), end.MandatoryCPUUS)
	}
}

// Each part runs once, however often the agent is killed meanwhile.
func TestPartsWhileTheAgentIsKilled(t *testing.T) {
	t.Parallel()
	const tasks, kills = 8, 6
	n := newNode(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	process := n.startProcess()
	for job := range int64(tasks) {
		first, second := 0.5*random.Float64(), 0.5*random.Float64()
		order := n.parts(job, fmt.Sprintf("echo a; sleep %.2f", first), "sh", "-c", fmt.Sprintf("echo b; sleep %.2f", second))
		if job%2 == 0 {
			order = n.parts(job, fmt.Sprintf("echo a; sleep %.2f; echo >&3; echo b; sleep %.2f", first, second))
		}
		order.CPU, order.Processor = 0.2, int(job)%len(n.config.CPUs)
		n.order(order)
	}
	for range kills {
		time.Sleep(time.Duration(30+random.IntN(200)) * time.Millisecond)
		if err := process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = process.Wait()
		process = n.startProcess()
	}
	for job := range int64(tasks) {
		got := n.end(t, task.Key{Job: job})
		if !got.Good() || got.Part != task.OptionalPart {
			t.Errorf("task %d ended as %s in its %s part", job, show(got), got.Part)
		}
		if text := n.file(fmt.Sprintf("out-%d", job)); text != "a\nb\n" {
			t.Errorf("task %d wrote %q", job, text)
		}
	}
}
