package client

import (
	"cmp"
	"strconv"
	"strings"
)

// What Slurm's structures call types of mail that sbatch calls otherwise.
var mailFlags = map[string][]string{
	"ALL":        {"BEGIN", "END", "FAIL", "REQUEUE", "INVALID_DEPENDENCY", "STAGE_OUT"},
	"TIME_LIMIT": {"TIME=100%"}, "TIME_LIMIT_90": {"TIME=90%"}, "TIME_LIMIT_80": {"TIME=80%"}, "TIME_LIMIT_50": {"TIME=50%"},
	"INVALID_DEPEND": {"INVALID_DEPENDENCY"}, "NONE": {},
}

// mails are the types of mail that a job asks for, as Slurm's structures have them.
func (s *Submission) mails() []string {
	var out []string
	for kind := range strings.SplitSeq(strings.ToUpper(s.MailType), ",") {
		if flags, other := mailFlags[kind]; other {
			out = append(out, flags...)
		} else if kind != "" {
			out = append(out, kind)
		}
	}
	return out
}

// warning is the signal that a job gets before its limit, how many seconds before, and who
// gets it, as Slurm's structures have them.
func (s *Submission) warning() (signal string, before int64, to []string) {
	signal = s.Signal
	if letters, rest, some := strings.Cut(signal, ":"); some {
		signal = rest
		if strings.Contains(letters, "B") {
			to = append(to, "BATCH_JOB")
		}
		if strings.Contains(letters, "R") {
			to = append(to, "RESERVATION_JOB")
		}
	}
	signal, seconds, _ := strings.Cut(signal, "@")
	if signal == "" {
		return "", 0, nil
	}
	const usual = 60
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		n = usual
	}
	return strings.TrimPrefix(strings.ToUpper(signal), "SIG"), cmp.Or(n, 1), to
}
