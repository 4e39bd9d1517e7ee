package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// rest speaks to slurmrestd.
type rest struct {
	base    string // http://host:port
	version string // v0.0.38
	shape   shape
	way     http.RoundTripper // not a client, which would follow whoever sends us elsewhere, token and all
	token   *token
	as      string
	timeout time.Duration
	seal    func(Submission) string
	sizes   sizes
	owners  owners
	listing Slurm // what lists jobs instead; nil: nobody
	killer  *commands
}

// shape is a generation of slurmrestd: how it wants to be told of a job. Answers of
// all generations are read by one reader.
type shape interface {
	submission(s *Submission, env []string) any
	release(nodes []string) any
}

// versions that are spoken here, newest first. 0.0.39 is left out: it is half of one
// generation and half of the other, and every slurmrestd that has it has a
// neighbour of it too.
var versions = []struct {
	name  string
	shape shape
}{
	{"v0.0.45", second{}},
	{"v0.0.44", second{}},
	{"v0.0.43", second{}},
	{"v0.0.42", second{}},
	{"v0.0.41", second{}},
	{"v0.0.40", second{}},
	{"v0.0.38", first{}},
	{"v0.0.37", first{}},
}

// Connections that are kept: as many as the backend has calls under way.
const (
	mostKept = 32
	keptFor  = time.Minute
)

var errTooLong = fmt.Errorf("it says more than %d bytes", mostAnswer)

// mostAnswer is how much slurmrestd may say: a listing of tens of thousands of jobs.
const mostAnswer = 256 << 20

func openRest(ctx context.Context, o Options, seal func(Submission) string, byCommand *commands) (*rest, error) {
	base, way, err := wayTo(o.Rest)
	if err != nil {
		return nil, err
	}
	r := &rest{
		base: base, way: way, as: o.As, timeout: o.Timeout, seal: seal, killer: byCommand,
		token: &token{file: o.TokenFile, user: o.As, scontrol: byCommand, now: o.Now},
	}
	r.sizes = sizes{now: o.Now, list: r.Nodes}
	r.owners.now, r.owners.named = o.Now, o.SystemUsers
	if byCommand != nil && !o.ListByRest {
		r.listing = byCommand
	}
	for _, v := range versions {
		r.version, r.shape = v.name, v.shape
		err = r.call(ctx, r.as, http.MethodGet, "/ping", nil, &pingAnswer{})
		var status *statusError
		if errors.As(err, &status) && status.code == http.StatusNotFound {
			continue
		}
		if status != nil && status.code == http.StatusUnauthorized {
			return nil, fmt.Errorf("slurmrestd does not take the token of %s: %s", r.as, status.said)
		}
		if err != nil && status == nil {
			return nil, err
		}
		return r, nil // that slurmctld is away is no reason not to speak to slurmrestd
	}
	return nil, fmt.Errorf("%w: slurmrestd speaks none of %s to %s", ErrAway, versions[0].name, versions[len(versions)-1].name)
}

// wayTo is how requests get to http://host:port or unix:/path, over connections
// that are kept.
func wayTo(address string) (string, http.RoundTripper, error) {
	way := &http.Transport{MaxIdleConnsPerHost: mostKept, IdleConnTimeout: keptFor, DisableCompression: true}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		way.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", "/"+strings.TrimLeft(path, "/"))
		}
		return "http://localhost", way, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return "", nil, fmt.Errorf("slurmrestd: %q is neither http://host:port nor unix:/path", address)
	}
	return strings.TrimRight(address, "/"), way, nil
}

// RestName begins the name of a Slurm that is spoken to through slurmrestd.
const RestName = "slurmrestd "

// Name says how Slurm is spoken to.
func (r *rest) Name() string {
	if r.listing != nil {
		return RestName + r.version + ", squeue"
	}
	return RestName + r.version
}

// statusError is an answer of slurmrestd that is not 200.
type statusError struct {
	code int
	said string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("slurmrestd answers %d: %s", e.code, e.said)
}

// call asks slurmrestd in the name of a user. Neither headers nor body of the
// question are ever in an error.
func (r *rest) call(ctx context.Context, user, method, path string, body any, answer faulty) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	for again := false; ; again = true {
		secret, err := r.token.get(ctx, again)
		if err != nil {
			return err
		}
		err = r.once(ctx, secret, user, method, path, text, answer)
		var status *statusError
		// A token may have been taken back or replaced: once more with a new one.
		if !again && errors.As(err, &status) && status.code == http.StatusUnauthorized {
			continue
		}
		return err
	}
}

func (r *rest) once(ctx context.Context, secret, user, method, path string, body []byte, answer faulty) error {
	req, err := http.NewRequestWithContext(ctx, method, r.base+"/slurm/"+r.version+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask slurmrestd: %w", err)
	}
	req.Header.Set("X-SLURM-USER-NAME", user)
	req.Header.Set("X-SLURM-USER-TOKEN", secret)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := r.way.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("%w: slurmrestd: %w", ErrAway, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	if err != nil {
		return fmt.Errorf("%w: slurmrestd: %w", ErrAway, err)
	}
	if len(text) > mostAnswer {
		return fmt.Errorf("%w: slurmrestd: %w", ErrAway, errTooLong)
	}
	wrong := json.Unmarshal(text, answer)
	if resp.StatusCode == http.StatusOK {
		if wrong != nil {
			return fmt.Errorf("%w: slurmrestd: %w", ErrAway, wrong)
		}
		return nil
	}
	status := &statusError{resp.StatusCode, oneLine(string(text))}
	if wrong == nil && len(answer.faults()) > 0 {
		status.said = answer.faults().said()
		if answer.faults().refusal() {
			return fmt.Errorf("%w: %w", ErrRefused, status)
		}
	}
	if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity {
		return fmt.Errorf("%w: %w", ErrRefused, status)
	}
	return fmt.Errorf("%w: %w", ErrAway, status)
}

var _ Slurm = (*rest)(nil)
