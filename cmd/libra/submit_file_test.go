package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/directive"
)

// inFile is a value of each flag of a job, as a file has it, and whether a job with it can be
// handed in at once.
var inFile = map[string]string{
	"name": "x", "account": "a", "dir": "/tmp", "output": "o", "error": "e", "env": "[A=b, C=d]", "export": "none", "estimate": "3m", "deadline": "2h",
	"begin": "10m", "hold": "true", "licenses": "[fluent:2, matlab]", "soft": "true", "budget": "5", "penalty": "0.5", "procs": "4", "threads": "2", "memory": "500M", "disk": "1G",
	"gpus": "a100:2", "nodelist": "[n1, 'n[3-5]']", "exclude": "n2", "constraint": "fast&ib", "partition": "fast", "reservation": "course", "qos": "high", "class": "1", "wish": "fastest",
	"overrun": "late", "no-restart": "true", "after": "[12, 13]", "after-begun": "12+5", "after-each": "14", "array": "1-9", "tags": "[a, b]", "grace": "9s",
	"optional": "1m", "optional-rate": "0.05", "optional-command": "refine --more",
}

// Whatever a flag says of a job, a file can say, and means the same: a new flag that no file knows
// fails here.
func TestAFileSaysWhatFlagsSay(t *testing.T) {
	var all []string
	for _, name := range directive.Terms() {
		if inFile[name] == "" {
			t.Errorf("--%s: what is it in a file?", name)
		}
		all = append(all, name)
	}
	for _, cmd := range jobCommands(&console{}) {
		if cmd.Name() == "submit" { // flags of the command itself are no words of a job
			for _, t := range termHelp {
				all = append(all, t.name)
			}
		}
	}
	read := func(name, value string) (v1.Request, error) {
		file := filepath.Join(t.TempDir(), "job.yaml")
		text := fmt.Sprintf("details: {command: [true], runtime_estimate: 60}\nlibra:\n  %s: %s\n", name, value)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		head := directive.New(directive.Place{Now: wallClock()})
		con := &console{err: t.Output()}
		cmd := newSubmit(con)
		if err := cmd.Flags().Set(specFlag, file); err != nil {
			t.Fatal(err)
		}
		_, err := con.readSpec(cmd, head)
		return head.Terms(), err
	}
	plain, err := read("name", "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		got, err := read(name, inFile[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Name = "x"; name != "name" && name != "export" && reflect.DeepEqual(got, plain) {
			t.Errorf("%s: %s in a file says nothing", name, inFile[name])
		}
	}
	if r, err := read("licenses", inFile["licenses"]); err != nil || !reflect.DeepEqual(r.Env, []string{task.Licenses + "=fluent:2,matlab"}) {
		t.Errorf("%v, %v", r.Env, err)
	}
	for name, value := range map[string]string{"nonsense": "1", "begin": "{a: b}", "array": "[[1]]", "procs": "x"} {
		if _, err := read(name, value); err == nil || !strings.Contains(err.Error(), "job.yaml: libra."+name+": ") {
			t.Errorf("%s: %s: %v", name, value, err)
		}
	}
}
