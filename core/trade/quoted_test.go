package trade_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// What is kept with a quote is bounded, whether or not it says what to run.
func TestWhatAQuoteKeeps(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		r    trade.Request
		want string // the field that makes no sense; empty: none
	}{
		"terms alone":                   {trade.Request{}, ""},
		"with licences":                 {trade.Request{Env: []string{"LIBRA_SBATCH_LICENSES=fluent:2"}}, ""},
		"much environment":              {trade.Request{Env: []string{"A=" + long(4096-len("A=\x00")+1)}}, "env"},
		"as much as there may be":       {trade.Request{Env: []string{"A=" + long(4096-len("A=\x00"))}}, ""},
		"with a program":                {trade.Request{Argv: []string{"true"}, Env: []string{"A=" + long(4096)}}, ""},
		"too much with a program":       {trade.Request{Argv: []string{"true"}, Env: []string{"A=" + long(trade.MaxEnv)}}, "env"},
		"what is no environment":        {trade.Request{Env: []string{"A"}}, "env"},
		"a long name of a file":         {trade.Request{Output: long(trade.MaxPath + 1)}, "output"},
		"of another":                    {trade.Request{Error: long(trade.MaxPath + 1)}, "error"},
		"of a directory":                {trade.Request{Dir: "/" + long(trade.MaxPath)}, "dir"},
		"a long name":                   {trade.Request{Name: long(trade.MaxName + 1)}, "name"},
		"names that are long enough":    {trade.Request{Name: long(trade.MaxName), Output: long(trade.MaxPath), Error: long(trade.MaxPath), Dir: "/" + long(trade.MaxPath-1)}, ""},
		"an optional part of much text": {trade.Request{Argv: []string{"true"}, Optional: &trade.Optional{Argv: []string{long(trade.MaxArgs)}}}, "optional.argv"},
		"of much, and no program":       {trade.Request{Optional: &trade.Optional{Argv: []string{long(4096)}}}, "optional.argv"},
		"of as much as there may be":    {trade.Request{Optional: &trade.Optional{Argv: []string{long(4095)}}}, ""},
		"of more with a program":        {trade.Request{Argv: []string{"true"}, Optional: &trade.Optional{Argv: []string{long(4096)}}}, ""},
		"many nodes":                    {trade.Request{Nodelist: []string{long(1 << 14)}}, "nodelist"},
		"as many as there may be":       {trade.Request{Nodelist: []string{long(1<<14 - 1)}, Exclude: []string{long(1<<14 - 1)}}, ""},
		"many others, with a program":   {trade.Request{Argv: []string{"true"}, Exclude: []string{long(1 << 14)}}, "exclude"},
		"many elements":                 {trade.Request{Array: &trade.Array{List: make([]int, 2049)}}, "array.list"},
		"as many elements as may be":    {trade.Request{Array: &trade.Array{List: make([]int, 2048)}}, ""},
		"many elements by rule":         {trade.Request{Array: &trade.Array{Last: trade.MaxElements - 1}}, ""},
	} {
		if trade.ValidateQuoted(&c.r, true) != nil && !c.r.HasProgram() {
			t.Errorf("%s: of before", name)
		}
		var wrong *trade.FieldError
		if err := trade.ValidateQuoted(&c.r, false); (err == nil) != (c.want == "") || err != nil && (!errors.As(err, &wrong) || wrong.Field != c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	before := trade.Request{Argv: []string{"true"}, Nodelist: []string{long(1 << 15)}}
	if err := trade.ValidateQuoted(&before, true); err != nil {
		t.Errorf("what a quote of before keeps: %v", err)
	}
}
