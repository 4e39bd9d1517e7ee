package client

import (
	"context"
	"fmt"

	"github.com/libra-market/libra/live/slurm/limit"
)

// Limits says what Slurm lets whom have in a partition.
func (c *commands) Limits(ctx context.Context, partition string) (*limit.Site, error) {
	var said limit.Said
	ask := func(to *string, argv ...string) error {
		text, err := c.run(ctx, call{argv: argv})
		*to = text
		return err
	}
	err := ask(&said.Config, "scontrol", "show", "config")
	if err == nil {
		err = ask(&said.Partition, "scontrol", "--oneliner", "show", "partition", partition)
	}
	if err == nil {
		said.Reserved, _ = c.Reservations(ctx) // without them it is noticed later
	}
	if err == nil && limit.Licensed(said.Config) {
		err = ask(&said.Licenses, "scontrol", "--oneliner", "show", "licenses")
	}
	if err == nil && limit.Enforces(said.Config) {
		err = ask(&said.Manager, "scontrol", "show", "assoc_mgr")
	}
	if err == nil && limit.AsksQualities(said.Config) {
		said.Granted = c.askGranted(ctx, said.Config)
	}
	if err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	return limit.Read(said), nil
}

// Limits says what Slurm lets whom have; without Slurm's commands nobody knows.
func (r *rest) Limits(ctx context.Context, partition string) (*limit.Site, error) {
	if r.killer == nil {
		return limit.Read(limit.Said{}), nil
	}
	return r.killer.Limits(ctx, partition)
}
