package spec

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libra-market/libra/core/market"
)

// Validate returns an [*Error] naming the first field that makes no sense: by the
// market's own rules for what it sells, and by those of a file for the rest.
func (j *Job) Validate() error {
	if problem := unfitName(j.Details.Name); problem != "" {
		return &Error{Field: "details.name", Problem: problem}
	}
	if problem := unfitName(string(j.Details.User)); problem != "" {
		return &Error{Field: "details.user", Problem: problem}
	}
	for _, arg := range j.Details.Command {
		if strings.Contains(arg, "\x00") || !utf8.ValidString(arg) {
			return &Error{Field: "details.command", Problem: "no program can be given " + quote(arg)}
		}
	}
	if j.Optimise > market.Fastest {
		return &Error{Field: "optimise", Problem: fmt.Sprintf("no wish has the number %d", j.Optimise)}
	}
	m := j.market()
	if err := m.Validate(); err != nil {
		return fromMarket(err, jobPaths, "")
	}
	if j.QoS.Budget.Limited() {
		// Whoever accepts the job has to hold this much money.
		if _, err := j.QoS.Budget.Money(); err != nil {
			return &Error{Field: "qos.budget", Problem: noSuchMoney}
		}
	}
	for _, name := range j.extras() {
		if problem := misplaced(name); problem != "" {
			return &Error{Field: plainKey(name), Problem: problem}
		}
	}
	return nil
}

const noSuchMoney = "more money than there is"

// jobPaths says where users write what the market calls by its own names.
var jobPaths = map[string]string{
	"estimate":     "details.runtime_estimate",
	"optional":     "details.optional_work",
	"procs":        "resources.processors",
	"memory_mb":    "resources.memory",
	"disk_mb":      "resources.disk",
	"gpus":         "resources.gpus",
	"deadline":     "qos.deadline",
	"budget":       "qos.budget",
	"penalty_rate": "qos.penalty_rate",
}

// fromMarket says an error of the market in the words of the file.
func fromMarket(err error, paths map[string]string, otherwise string) *Error {
	var wrong *market.FieldError
	if !errors.As(err, &wrong) {
		return &Error{Field: otherwise, Problem: err.Error()}
	}
	return &Error{
		Field:   paths[wrong.Field],
		Problem: fmt.Sprintf("%v makes no sense (want %s)", wrong.Value, wrong.Want),
	}
}

// unfitName keeps out of names what would garble a listing on a terminal.
func unfitName(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "a name cannot hold control characters"
	}
	return ""
}
