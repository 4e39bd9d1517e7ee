package estimate_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/estimate"
)

func TestProgram(t *testing.T) {
	for _, c := range []struct {
		argv   []string
		script bool
		env    []string
		want   string
	}{
		{want: ""},
		{argv: []string{"./simulate", "input.dat"}, want: "simulate"},
		{argv: []string{"/opt/fold/bin/fold"}, want: "fold"},
		{argv: []string{"python3.11", "/home/alice/train.py", "--fast"}, want: "train.py"},
		{argv: []string{"python3", "-m", "train"}, want: "python3"},
		{argv: []string{"python3"}, want: "python3"},
		{argv: []string{"sh", "-c", "sleep  3;\n./fold"}, want: "sleep 3; ./fold"},
		{argv: []string{"bash", "-c", strings.Repeat("折", 100)}, want: strings.Repeat("折", 80)},
		{argv: []string{"input.dat"}, script: true, env: []string{"A=b", "LIBRA_SCRIPT=/d/job.sh"}, want: "job.sh"},
		{argv: []string{"input.dat"}, script: true, env: []string{"A=b", "LIBRA_SCRIPT="}, want: ""},
		{argv: []string{"simulate"}, env: []string{"LIBRA_SCRIPT=/of/another/job.sh"}, want: "simulate"},
	} {
		if got := estimate.Program(c.argv, c.script, c.env); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.argv, c.env, got, c.want)
		}
	}
}
