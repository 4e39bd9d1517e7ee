package client

import "errors"

// What can go wrong in a way that callers tell apart.
var (
	// ErrRefused says that Slurm said no: it will say so again.
	ErrRefused = errors.New("slurm refused")
	// ErrAway says that Slurm does not answer, or not sensibly: it may again later.
	ErrAway = errors.New("slurm does not answer")
)
