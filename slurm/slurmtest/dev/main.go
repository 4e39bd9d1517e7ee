// Command dev runs a Slurm on this host, as the tests do, for as long as it is not
// interrupted: for a person who wants to try something.
//
//	go run ./slurm/slurmtest/dev -nodes 4 -door
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"libra/slurm/slurmtest"
)

func main() {
	var o slurmtest.Options
	flag.IntVar(&o.Nodes, "nodes", 4, "emulated nodes")
	flag.IntVar(&o.CPUs, "cpus", 1, "processors of each")
	flag.BoolVar(&o.Door, "door", false, "with job_submit.lua before the partition")
	flag.BoolVar(&o.DoorHolds, "hold", false, "the door holds, where it would refuse")
	flag.BoolVar(&o.NoPlugin, "bare", false, "without the SPANK plugin")
	flag.BoolVar(&o.Hosts, "hosts", false, "each node with a network of its own")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o slurmtest.Options) error {
	if missing := slurmtest.Missing(); missing != "" {
		return fmt.Errorf("this machine can have no slurm: it lacks %s", missing)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := slurmtest.Up(ctx, o)
	if err != nil {
		return err
	}
	token, err := c.Token(ctx, "root")
	if err == nil {
		err = os.WriteFile(c.Dir+"/root.jwt", []byte(token), 0o600)
	}
	fmt.Fprintf(os.Stdout, "export SLURM_CONF=%s SLURM_REST=%s\n", c.Conf, c.RestURL)
	fmt.Fprintf(os.Stdout, "# the directory is %s; root's token is in root.jwt, the logs are in log/; ^C ends it\n", c.Dir)
	if err == nil {
		<-ctx.Done()
	}
	if wrong := c.Close(); err == nil {
		err = wrong
	}
	return err
}
