package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"mime"
	"slices"
	"strings"

	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/spec"
)

// Where a job is asked for, its specification (live/spec: details, resources,
// qos, optimise) may stand in the body in place of a request. It is made into
// the JSON that says the same, so that everything after goes one way.

// yamlType is the media type of a specification.
const yamlType = "application/yaml"

// specRoutes are the routes whose body may be a specification.
var specRoutes = []string{"POST /v1/jobs", "POST /v1/quotes", "POST /v1/previews"}

func (rt *route) takesSpec() bool { return slices.Contains(specRoutes, rt.method+" "+rt.pattern) }

func isYAML(kind string) bool {
	media, _, err := mime.ParseMediaType(kind)
	return err == nil && media == yamlType
}

// specified is the body of a request for the job that a text specifies.
func specified(text []byte) ([]byte, error) {
	job, err := spec.ReadJob("", bytes.NewReader(text))
	if err != nil {
		return nil, specFault(err)
	}
	request, err := requestFor(&job)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Request v1.Request `json:"request"`
	}{request})
}

// specFault names the field and the line of the first mistake.
func specFault(err error) error {
	if wrong, ok := errors.AsType[*spec.Error](err); ok && wrong.Field != "" {
		return &fault{kind: kindInvalid, field: wrong.Field, detail: strings.TrimPrefix(wrong.Error(), ":")}
	}
	return malformed(err.Error())
}

func requestFor(job *spec.Job) (v1.Request, error) {
	d, r, q := &job.Details, &job.Resources, &job.QoS
	request := v1.Request{
		Name: d.Name, Account: string(d.User), Argv: d.Command, EstimateMS: millis(float64(d.Estimate)),
		Processors: int(r.Processors), MemoryMB: r.Memory, DiskMB: r.Disk, Soft: q.Soft,
	}
	if job.Optimise == market.Fastest {
		request.Wish = market.Fastest.String()
	}
	if q.Deadline.Finite() {
		request.DeadlineMS = millis(float64(q.Deadline))
	}
	if d.Optional > 0 {
		request.Optional = &v1.Optional{WorkMS: millis(float64(d.Optional))}
	}
	if q.Budget.Limited() {
		budget, err := q.Budget.Money()
		if err != nil {
			return request, badField("qos.budget", "an amount that can be paid")
		}
		request.Budget = (*int64)(&budget)
	}
	penalty, err := q.Penalty.Money()
	if err != nil {
		return request, badField("qos.penalty_rate", "an amount that can be paid")
	}
	request.PenaltyMicros = int64(penalty)
	return request, nil
}

// millis are seconds in milliseconds, a part of one being a whole one: a job
// that says it runs for less than a millisecond still says that it runs.
func millis(seconds float64) int64 {
	ms := math.Ceil(float64(seconds*1e3) - 1e-6)
	if !(ms < math.MaxInt64) {
		return math.MaxInt64 // beyond all bounds, as whoever checks will say
	}
	return int64(ms)
}
