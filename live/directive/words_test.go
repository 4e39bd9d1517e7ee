package directive

import (
	"errors"
	"slices"
	"testing"
)

// What sbatch 22.05 and 24.11 say of a job's name, handed each of these lines (22.05 reads no blank after a backslash).
func TestOptionsAreCutAsBySbatch(t *testing.T) {
	for line, want := range map[string][]string{
		` -J a#b -n 2`:              {"-J", "a"},
		` -n2#c`:                    {"-n2"},
		` -J "a#b" # c`:             {"-J", "a#b"},
		` -J a\#b`:                  {"-J", "a#b"},
		` -J 'a\b'`:                 {"-J", "ab"},
		` -J 'a\'b'`:                {"-J", "a'b"},
		` -J "a\\b"`:                {"-J", `a\b`},
		` -J a\ b`:                  {"-J", "a b"},
		` -J "a\ b"c`:               {"-J", "a bc"},
		` -J x\`:                    {"-J", "x"},
		` -J "" -n 2`:               {"-J"},
		` -J a''`:                   {"-J", "a"},
		"\t--job-name='a b'\t-n2  ": {"--job-name=a b", "-n2"},
		` -J x:y`:                   {"-J", "x:y"},
	} {
		if got, err := optionWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]error{` -J "x\"`: errQuote, ` -J 'x`: errQuote, `: -J x`: errColon, ` -J x :y`: errColon} {
		if _, err := optionWords(line); !errors.Is(err, want) || Unread(&Error{Err: err}) {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
	head := New(Place{})
	if err := head.Read("job.sh", "#!/bin/sh\n#SBATCH--job-name=a#b\n#SBATCH-n2\n"); err != nil || head.Request.Name != "a" {
		t.Errorf("without a blank: %q, %v", head.Request.Name, err)
	}
	if err := New(Place{}).Read("job.sh", "#!/bin/sh\n#SBATCHx -J a\n"); !Unread(err) {
		t.Errorf("#SBATCHx: %v", err)
	}
}
