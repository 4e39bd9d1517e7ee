package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/libra-market/libra/live/secrets"
	"github.com/libra-market/libra/live/slurm/plugin"
)

// Options say where Slurm is. The zero value is the Slurm of this host, by its
// commands.
type Options struct {
	// Rest is where slurmrestd listens: http://host:port or unix:/path. Empty: it
	// is not used.
	Rest string
	// TokenFile holds a JWT of root or SlurmUser, which acts for every user. It is
	// read again when it changes. Empty: tokens are asked for with scontrol.
	TokenFile string
	// As is the user whose token it is, root if empty.
	As string

	// Conf is the slurm.conf that the commands should read; empty: that of the
	// variable SLURM_CONF, or Slurm's own.
	Conf string
	// ListByRest says that listings come from slurmrestd, even where squeue is
	// there, which costs Slurm a fraction of it.
	ListByRest bool

	// DoorKey is the file with the key of the door, if there is one: see package
	// plugin. It is read once.
	DoorKey string

	// SystemUsers are the users of the system (root, those of daemons, nobody) that
	// jobs may be handed in for: none but these.
	SystemUsers []string

	// Timeout is how long a call may take, 10 seconds if 0.
	Timeout time.Duration
	// Now is the time of day, for the age of tokens and of listings.
	Now func() time.Time
}

// Open finds out how Slurm can be spoken to: through slurmrestd if it answers, else
// by the commands.
func Open(ctx context.Context, o Options) (Slurm, error) {
	o = o.chosen()
	seal, err := sealer(o.DoorKey)
	if err != nil {
		return nil, err
	}
	byCommand, wrong := openCommands(o, seal)
	if o.Rest == "" {
		if wrong != nil {
			return nil, wrong
		}
		return byCommand, nil
	}
	rest, err := openRest(ctx, o, seal, byCommand)
	switch {
	case err == nil:
		return rest, nil
	case byCommand != nil && errors.Is(err, ErrAway):
		return byCommand, nil
	default:
		return nil, errors.Join(err, wrong)
	}
}

func (o Options) chosen() Options {
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.As == "" {
		o.As = "root"
	}
	if o.Conf == "" {
		o.Conf = os.Getenv("SLURM_CONF")
	}
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the caller may say otherwise, the age of tokens and listings is all it is for
	}
	return o
}

// sealer makes the seals of jobs, by which the door knows them; nil: no door.
func sealer(file string) (func(Submission) string, error) {
	if file == "" {
		return nil, nil
	}
	text, err := secrets.Read(file)
	if errors.Is(err, secrets.ErrOpen) {
		return nil, fmt.Errorf("key of the door: %w, and let it belong to the user of slurmctld, which reads it too", err)
	}
	if err != nil {
		return nil, fmt.Errorf("key of the door: %w", err)
	}
	key, err := plugin.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return func(s Submission) string {
		return plugin.SealVariable + "=" + key.Seal(s.User, s.Partition, s.Comment)
	}, nil
}
