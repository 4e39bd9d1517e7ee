package directive_test

import (
	"strings"
	"testing"

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
