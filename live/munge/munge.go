package munge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// patience is how long munged may take for an answer.
const patience = 10 * time.Second

// mostCredential is how many bytes a credential of a short text has at most.
const mostCredential = 4 << 10

// payload is what is signed: nothing that somebody has signed for another purpose will do.
func payload(challenge string) string { return "libra login " + challenge }

// Sign makes a credential of this process's user over a challenge of a market.
func Sign(ctx context.Context, challenge string) (string, error) {
	out, err := run(ctx, "", "munge", "--string", payload(challenge))
	return strings.TrimSpace(out), err
}

// Check says whose credential over a challenge this is. One that was checked before, by
// anybody on this host, and one that is older than munge allows, is none.
func Check(ctx context.Context, challenge, credential string) (uid int, err error) {
	if len(credential) > mostCredential {
		return 0, errors.New("this is no credential of munge")
	}
	out, err := run(ctx, credential, "unmunge", "--keys", "STATUS,UID")
	about, text, _ := strings.Cut(out, "\n\n")
	said := map[string]string{}
	for line := range strings.SplitSeq(about, "\n") {
		name, value, _ := strings.Cut(line, ":")
		said[name] = strings.TrimSpace(value)
	}
	switch {
	case err != nil && said["STATUS"] != "":
		return 0, errors.New(said["STATUS"])
	case err != nil:
		return 0, err
	case text != payload(challenge):
		return 0, errors.New("this credential was made for something else")
	}
	_, number, _ := strings.Cut(said["UID"], "(") // alice (1000)
	if uid, err = strconv.Atoi(strings.TrimSuffix(number, ")")); err != nil || !strings.HasSuffix(said["STATUS"], "(0)") {
		return 0, fmt.Errorf("unmunge says %q, and not whose it is", about)
	}
	return uid, nil
}

// run runs one of munge's programs; what it says is wrong is the error.
func run(ctx context.Context, input, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(input)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(wrong.String()); said != "" {
			return out.String(), errors.New(said)
		}
		return out.String(), fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}
