package directive_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/directive"
)

// Whatever stands in a script, reading it ends, says the same twice, names
// lines that are there, and gives numbers the market can reckon with.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"#!/bin/sh\n#LIBRA deadline=10m budget=5 estimate=2m procs=2 name=x soft penalty=0.1\n",
		"#SBATCH -J x -n 4 -c2 --mem=8G -t 1-2:3 -o %x-%A_%a.out --comment 'budget=5;soft'\n",
		"#SBATCH --deadline=now+10minutes --export=ALL,A=b -d afterok:1:2 -a 1-9%3\n",
		"#PBS -l select=2:ncpus=4:mem=8gb+1,walltime=1:2:3\n#PBS -j oe -o h:/x/ -J 1-3\n",
		"#LIBRA \"a\\\" 'b'#c\\\n#LIBRA -\n#SBATCH --\n#PBS -\n",
		"#LIBRA array=0-2147483647:2147483647 memory=999999999999 after=9223372036854775807\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		place := directive.Place{Now: noon, User: "alice"}
		h, again := directive.New(place), directive.New(place)
		err, errAgain := h.Read("job.sh", script), again.Read("job.sh", script)
		if (err == nil) != (errAgain == nil) || !reflect.DeepEqual(h.Notes, again.Notes) {
			t.Fatal("read twice, it says two things")
		}
		last := strings.Count(script, "\n") + 1
		for _, n := range h.Notes {
			if n.Line < 1 || n.Line > last {
				t.Fatalf("a note on line %d of %d: %s", n.Line, last, n)
			}
		}
		var wrong *directive.Error
		if errors.As(err, &wrong) && (wrong.Line < 1 || wrong.Line > last) {
			t.Fatalf("a mistake in line %d of %d: %v", wrong.Line, last, err)
		}
		if err != nil {
			return
		}
		r := h.Finish("x", nil)
		if r.EstimateMS < 0 || r.DeadlineMS < 0 || r.Processors < 0 || r.MemoryMB < 0 || r.DiskMB < 0 || r.PenaltyMicros < 0 ||
			r.Budget != nil && *r.Budget < 0 || r.Array != nil && (r.Array.Len() < 1 || r.Array.Len() > trade.MaxElements) {
			t.Fatalf("not a request: %+v", r)
		}
	})
}
