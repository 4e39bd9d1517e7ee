package spec

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// said are the exact messages of mistakes in a job.
var said = []struct{ name, text, want string }{
	{"unknown field", "details:\n  runtime_estimate: 1\nqos:\n  deadlin: 5\n", "job.yaml:4: qos.deadlin: unknown field (did you mean deadline?)"},
	{"swapped letters", "details:\n  runtime_estimate: 1\n  nmae: x\n", "job.yaml:3: details.nmae: unknown field (did you mean name?)"},
	{"hyphen and case", "details: {Runtime-Estimate: 1, runtime_estimate: 1}\n", "job.yaml:1: details.Runtime-Estimate: unknown field (did you mean runtime_estimate?)"},
	{"field of another segment", "details:\n  runtime_estimate: 1\n  memory: 4\n", "job.yaml:3: details.memory: unknown field (it belongs in resources)"},
	{"nothing like it", "details:\n  runtime_estimate: 1\nresources:\n  cpus: 4\n", "job.yaml:4: resources.cpus: unknown field (did you mean processors?)"},
	{"misspelt segment", "details: {runtime_estimate: 1}\noptimize: fastest\n", "job.yaml:2: optimize: unknown segment (did you mean optimise?)"},
	{"field outside its segment", "details: {runtime_estimate: 1}\ndeadline: 5\n", "job.yaml:2: deadline: unknown segment (the field deadline belongs in qos)"},
	{"missing", "details:\n  name: x\n", "job.yaml:1: details.runtime_estimate: missing"},
	{"missing in empty segment", "qos: {}\ndetails:\n", "job.yaml:2: details.runtime_estimate: missing"},
	{"missing with its segment", "\nqos: {}\n", "job.yaml:2: details.runtime_estimate: missing"},
	{"missing by null", "details:\n  name: x\n  runtime_estimate:\n", "job.yaml:3: details.runtime_estimate: missing"},
	{"bad duration", "details: {runtime_estimate: soon}\n", `job.yaml:1: details.runtime_estimate: "soon" is not a duration (want seconds, or text such as 2h30m, 5 min, 1:30:00 or 1d)`},
	{"bad unit of time", "details: {runtime_estimate: 2moons}\n", `job.yaml:1: details.runtime_estimate: "2moons" has no unit of time "moons" (want d, h, m, s or ms)`},
	{"hours or minutes", "details: {runtime_estimate: 1:30}\n", `job.yaml:1: details.runtime_estimate: not a length of time: "1:30" can be hours or minutes (want 1h30m, 1m30s or 1:30:00)`},
	{"no time of day", "details: {runtime_estimate: 1}\nqos: {deadline: tomorrow 9:00}\n", `job.yaml:2: qos.deadline: "tomorrow 9:00" is a time of day or a date, which only libra submit and quote know (want a length of time, such as 10m)`},
	{"octal or not", "details: {runtime_estimate: 010}\n", `job.yaml:1: details.runtime_estimate: "010" is not a duration (want seconds, or text such as 2h30m, 5 min, 1:30:00 or 1d)`},
	{"negative", "details: {runtime_estimate: -5}\n", `job.yaml:1: details.runtime_estimate: "-5" is less than nothing`},
	{"too long", "details: {runtime_estimate: 1e16}\n", `job.yaml:1: details.runtime_estimate: "1e16" is more than the market can count`},
	{"infinite", "details: {runtime_estimate: .inf}\n", `job.yaml:1: details.runtime_estimate: ".inf" is not a duration (want seconds, or text such as 2h30m, 5 min, 1:30:00 or 1d)`},
	{"bad size", "details: {runtime_estimate: 1}\nresources: {memory: lots}\n", `job.yaml:2: resources.memory: "lots" is not a size (want MB, or text such as 500M, 4G, 500MB or 4GiB)`},
	{"bad unit of size", "details: {runtime_estimate: 1}\nresources: {memory: 4Q}\n", `job.yaml:2: resources.memory: "4Q" has no unit of size "Q" (want M, G, T, MB, GB, TB, MiB, GiB or TiB)`},
	{"half a processor", "details: {runtime_estimate: 1}\nresources:\n  processors: 1.5\n", `job.yaml:3: resources.processors: want a whole number from 1 to 16777216, not "1.5"`},
	{"no processor", "details: {runtime_estimate: 1}\nresources:\n  processors: 0\n", `job.yaml:3: resources.processors: want a whole number from 1 to 16777216, not "0"`},
	{"seven decimals", "details: {runtime_estimate: 1}\nqos: {budget: 1.0000001}\n", `job.yaml:2: qos.budget: "1.0000001" has more than six decimals`},
	{"budget in words", "details: {runtime_estimate: 1}\nqos: {budget: $5}\n", `job.yaml:2: qos.budget: "$5" is not an amount of money`},
	{"beyond money", "details: {runtime_estimate: 1}\nqos: {penalty_rate: 1,\n budget: 1e14}\n", `job.yaml:3: qos.budget: more money than there is`},
	{"rate in words", "details: {runtime_estimate: 1}\nqos: {penalty_rate: low}\n", `job.yaml:2: qos.penalty_rate: "low" is not a number`},
	{"hard or soft", "details: {runtime_estimate: 1}\nqos: {deadline_type: firm}\n", `job.yaml:2: qos.deadline_type: want hard or soft, not "firm"`},
	{"wish", "details: {runtime_estimate: 1}\noptimise: best\n", `job.yaml:2: optimise: want cheapest or fastest, not "best"`},
	{"wish as mapping", "details: {runtime_estimate: 1}\noptimise: {cost: 1}\n", `job.yaml:2: optimise: want one value, not a mapping`},
	{"segment as word", "details: 5m\n", `job.yaml:1: details: want fields such as runtime_estimate, not "5m"`},
	{"control character", "details: {runtime_estimate: 1, name: \"a\\e[2J\"}\n", `job.yaml:1: details.name: a name cannot hold control characters`},
	{"empty command", "details: {runtime_estimate: 1, command: []}\n", `job.yaml:1: details.command: empty`},
	{"command of lists", "details: {runtime_estimate: 1, command: [a, [b]]}\n", `job.yaml:1: details.command: want a list of words, and a list is not a word`},
	{"command with zero byte", "details: {runtime_estimate: 1, command: \"a\\0\"}\n", `job.yaml:1: details.command: no program can be given "a\x00"`},
	{"twice", "details:\n  runtime_estimate: 1\n  runtime_estimate: 2\n", `job.yaml:3: details.runtime_estimate: given twice (first in line 2)`},
	{"twice in JSON", `{"details": {"runtime_estimate": 1}, "details": {}}`, `job.yaml:1: details: given twice (first in line 1)`},
	{"twice in an unknown segment", "details: {runtime_estimate: 1}\nx: {a.b: 1,\n a.b: 2}\n", `job.yaml:3: x."a.b": given twice (first in line 2)`},
	{"alias", "details: {runtime_estimate: 1}\nx: &a 1\ny: *a\n", `job.yaml:3: y: aliases are not read here (write out what *a stands for)`},
	{"merge key", "details: {runtime_estimate: 1, <<: {name: x}}\n", `job.yaml:1: details."<<": merge keys are not read here`},
	{"tag", "details: {runtime_estimate: !!str 1}\n", `job.yaml:1: details.runtime_estimate: tags are not read here (drop "!!str")`},
	{"list as key", "details: {runtime_estimate: 1}\nx: {[a]: 1}\n", `job.yaml:2: x: want a name, not a list`},
	{"not a job", "hello\n", `job.yaml:1: want a job (details, resources, qos, optimise), not "hello"`},
	{"list in list", "- details: {runtime_estimate: 1}\n- []\n", `job.yaml:2: want a job (details, resources, qos, optimise), not a list`},
	{"nothing", "# nothing\n", `job.yaml: no job here`},
	{"second document", "details: {runtime_estimate: 1}\n---\ndetails: {}\n", `job.yaml:3: details.runtime_estimate: missing`},
	{"two mistakes", "details:\n  nam: x\nqos:\n  budget: much\n", "job.yaml:1: details.runtime_estimate: missing\n" +
		"job.yaml:2: details.nam: unknown field (did you mean name?)\n" +
		`job.yaml:4: qos.budget: "much" is not an amount of money`},
	{"scanner", "details:\n  name: a: b\n", `job.yaml:2: not YAML: mapping values are not allowed in this context`},
	{"scanner, first line", "details: a: b\n", `job.yaml:1: not YAML: mapping values are not allowed in this context`},
	{"tab", "details:\n\tname: x\n", `job.yaml:2: not YAML: found character that cannot start any token`},
	{"parser", "details:\n  name: x\n x: y\n", `job.yaml:3: not YAML: did not find expected key`},
	{"open bracket", "x: 1\ndetails: {name: x\nqos: 1\n", `job.yaml:2: not YAML: did not find expected ',' or '}'`},
	{"broken JSON", "{\n\t\"details\": {\n\t\t\"name\": \"x\"\n\t}\n", `job.yaml:4: not YAML: did not find expected ',' or '}'`},
	{"JSON on one line", `{"details": {"name": "x"}`, `job.yaml:1: not YAML: did not find expected ',' or '}'`},
	{"binary", "\x00\x01", `job.yaml:1: not YAML: control characters are not allowed`},
	{"deep", strings.Repeat("[", 40) + strings.Repeat("]", 40), `job.yaml:1: more than 32 levels`},
}

func TestMessages(t *testing.T) {
	for _, c := range said {
		t.Run(c.name, func(t *testing.T) {
			jobs, err := ReadJobs("job.yaml", strings.NewReader(c.text))
			if err == nil {
				t.Fatalf("accepted as %+v", jobs)
			}
			if err.Error() != c.want {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
			var one *Error
			if !errors.As(err, &one) || one.File != "job.yaml" {
				t.Errorf("%#v does not say where", err)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	_, err := ReadJob("job.yaml", strings.NewReader(strings.Repeat("#", MaxBytes+1)))
	if !errors.Is(err, ErrTooLarge) || err.Error() != "read job.yaml: text too large: more than 1048576 bytes" {
		t.Errorf("got %v", err)
	}
}

func TestOnlyOneJob(t *testing.T) {
	text := "details: {runtime_estimate: 1}\n---\ndetails: {runtime_estimate: 1}\n"
	_, err := ReadJob("job.yaml", strings.NewReader(text))
	if err == nil || err.Error() != "job.yaml: 2 jobs here, and only one is wanted" {
		t.Errorf("got %v", err)
	}
}

func TestMarketMessages(t *testing.T) {
	for _, c := range []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.Resources.Processors = 0 }, "resources.processors: 0 makes no sense (want at least 1)"},
		{func(j *Job) { j.Details.Estimate = -1 }, "details.runtime_estimate: -1 makes no sense (want 0 or more)"},
		{func(j *Job) { j.QoS.Deadline = market.Time(math.NaN()) }, "qos.deadline: NaN makes no sense (want 0 or more, or none)"},
		{func(j *Job) { j.Optimise = 9 }, "optimise: no wish has the number 9"},
		{func(j *Job) { j.Details.User = "\xff" }, "details.user: a name cannot hold control characters"},
	} {
		job := DefaultJob()
		c.change(&job)
		if _, err := job.Market(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestBombs reads texts made to cost much more than their size.
func TestBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("details: {runtime_estimate: 1}\na0: &a0 [x]\n")
	for i := range 9 {
		next, last := string(rune('1'+i)), string(rune('0'+i))
		laughs.WriteString("a" + next + ": &a" + next + " [" + strings.Repeat("*a"+last+",", 9) + "]\n")
	}
	for name, text := range map[string]string{
		"laughs":    laughs.String(),
		"self":      "&a [*a]",
		"brackets":  strings.Repeat("[", MaxBytes),
		"dashes":    strings.Repeat("- ", MaxBytes/2),
		"questions": strings.Repeat("? ", MaxBytes/2),
		"braces":    strings.Repeat("{a: ", MaxBytes/4),
		"mistakes":  "details: {" + strings.Repeat("x: 1, ", 100_000) + "}",
		"long name": "details: {" + strings.Repeat("x", 1000) + ": 1}",
		"digits":    "details: {runtime_estimate: 1e" + strings.Repeat("9", 1000) + "}",
	} {
		if _, err := ReadJobs("bomb.yaml", strings.NewReader(text)); err == nil {
			t.Errorf("%s: accepted", name)
		} else if len(err.Error()) > 4000 {
			t.Errorf("%s: a message of %d bytes", name, len(err.Error()))
		}
	}
}
