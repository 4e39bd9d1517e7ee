package directive_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/directive"
)

// An array may be named by a line that is Libra's own: what the command line says of sizes is held
// against that too, and a job is not handed in with less than was asked for.
func TestSizesOfElementsThatLibrasOwnLinesName(t *testing.T) {
	for options, good := range map[string]bool{"-N 2 -n 4": false, "-N 1 -n 4": true, "-n 4": true, "-c 4": true} {
		h := directive.New(directive.Place{Now: noon})
		err := h.ReadSbatch("job.sh", "#!/bin/sh\n#LIBRA array=1-3\ntrue\n", strings.Fields(options))
		if good != (err == nil) || err != nil && strings.Count(err.Error(), "on one node") != 1 {
			t.Errorf("%s: %v", options, err)
		}
	}
}

// What the script says of sizes is that of an element wherever the array is named: by a line of
// Slurm's, by one of Libra's, or by who hands it in.
func TestSizesAreThoseOfElementsWhereverTheArrayIsNamed(t *testing.T) {
	for _, size := range []string{"-n 4", "-n 4 -c 2 --mem=4000", "-c 4", "--ntasks-per-node=3", "-N 2 -n 4", "-n 2 --gpus-per-task=2"} {
		want, refused := read(t, "#SBATCH "+size+" -a 1-3")
		for name, lines := range map[string][]string{
			"before": {"#LIBRA array=1-3", "#SBATCH " + size}, "after": {"#SBATCH " + size, "#LIBRA name=x --array 1-3"}, "another one": {"#SBATCH " + size + " -a 1-7", "#LIBRA array=1-3"},
		} {
			got, err := read(t, lines...)
			got.Request.Name = ""
			if (err == nil) != (refused == nil) || err == nil && !reflect.DeepEqual(got.Request, want.Request) {
				t.Errorf("%s, %s: %+v, %v; want %+v, %v", size, name, got.Request, err, want.Request, refused)
			}
		}
		got := directive.New(directive.Place{Now: noon})
		got.Sweeps("1-3")
		if err := got.Read("job.sh", "#!/bin/sh\n#SBATCH "+size+"\n"); (err == nil) != (refused == nil) || err == nil && !reflect.DeepEqual(got.Request, want.Request) {
			t.Errorf("%s, told before: %+v, %v; want %+v", size, got.Request, err, want.Request)
		}
	}
	if h, err := read(t, "#SBATCH -n 4", "true", "#LIBRA array=1-3"); err != nil || h.Request.Array != nil || h.Request.Threads != 0 {
		t.Errorf("after the first command, where nobody reads it: %+v, %v", h.Request, err)
	}
	for _, line := range []string{"#LIBRA name=array=1-3", "#LIBRA --name array=1-3", "#LIBRA env=array=1-3"} {
		if h, err := read(t, line, "#SBATCH -n 4"); err != nil || h.Request.Array != nil || h.Request.Threads != 0 {
			t.Errorf("%s: %+v, %v", line, h.Request, err)
		}
	}
}

// The elements of an array are told the step that sbatch would tell them: what is written after the first
// colon, and 1 where there is none, however far apart they are.
func TestTheStepThatElementsAreTold(t *testing.T) {
	for array, want := range map[string]string{
		"1-5": "", "1-9:4": "", "4": "", "2,3": "", // as their numbers say it
		"1,5": "2 1 5 1", "1,3,5%2": "3 1 5 1", "1,5,7-9:2": "4 1 9 2", "7-9:2,1,5": "4 1 9 2",
		"1-4:3,10-14:2": "5 1 14 3", "1-5:10": "1 1 1 10", "1-10:2,20": "6 1 20 2",
	} {
		h, err := read(t, "#SBATCH -a "+array)
		if err != nil {
			t.Fatal(err)
		}
		h.TellOfAll(&h.Request)
		var got string
		for _, v := range h.Request.Env {
			if said, ok := strings.CutPrefix(v, task.Array+"="); ok {
				got = said
			}
		}
		if got != want {
			t.Errorf("%s: told %q, want %q", array, got, want)
		}
	}
}
