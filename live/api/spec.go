package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"slices"
	"strings"
	"time"

	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/directive"
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
func specified(text []byte, now time.Time) ([]byte, error) {
	job, err := spec.ReadJob("", bytes.NewReader(text))
	if err != nil {
		return nil, specFault(err)
	}
	head := directive.New(directive.Place{Now: now})
	if head.Request, err = job.Request(); err != nil {
		return nil, specFault(err)
	}
	if err = head.SetAll(job.Extra[directive.Segment]); err != nil {
		return nil, &fault{kind: kindInvalid, field: directive.Segment, detail: err.Error()}
	}
	if head.Export.Said != "" || head.Export.All || head.Export.None {
		return nil, &fault{kind: kindInvalid, field: directive.Segment + ".export", detail: "there is no environment here to take it of: libra submit -f does, and env says variables"}
	}
	request := head.Terms()
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
