// Command dev runs a Slurm on this host, as the tests do, for as long as it is not
// interrupted: for a person who wants to try something.
//
//	go run ./live/slurm/slurmtest/dev -nodes 4 -door
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

func main() {
	var o slurmtest.Options
	flag.IntVar(&o.Nodes, "nodes", 4, "emulated nodes")
	flag.IntVar(&o.CPUs, "cpus", 1, "processors of each")
	flag.BoolVar(&o.Door, "door", false, "with job_submit.lua before the partition")
	flag.BoolVar(&o.DoorHolds, "hold", false, "the door holds, where it would refuse")
	flag.BoolVar(&o.NoPlugin, "bare", false, "without the SPANK plugin")
	flag.BoolVar(&o.PlainDefault, "plain", false, "jobs that name no partition are in the one that is not the market's")
	flag.BoolVar(&o.Accounting, "accounting", false, "with slurmdbd, for sacct")
	flag.StringVar(&o.Enforce, "enforce", "", "with -accounting: AccountingStorageEnforce, as associations,limits,qos")
	flag.BoolVar(&o.DoorOffers, "offer", false, "the door holds until a job's price is taken")
	flag.BoolVar(&o.Hosts, "hosts", false, "each node with a network of its own")
	flag.Func("gpus", "GPUs of each, as a100:2; more than once: of several kinds", func(text string) error { o.GPUs = append(o.GPUs, text); return nil })
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
	tell(c, o)
	<-ctx.Done()
	return c.Close()
}

// tell says how to go on: a market before this Slurm, an agent on each node, a job.
func tell(c *slurmtest.Cluster, o slurmtest.Options) {
	key := ""
	if o.Door || o.DoorHolds || o.DoorOffers {
		key = " --slurm-door-key " + c.DoorKey
	}
	fmt.Fprintf(os.Stdout, `slurm runs in %s, its logs are in log/; ^C ends it. In another terminal:

  export SLURM_CONF=%s LIBRA_SERVER=http://127.0.0.1:7071
  echo 'slurm: {system_users: [root]}' > %s/libra.yaml  # you are root, and so are your jobs
  libra serve --config %s/libra.yaml --backend slurm --slurm-rest %s%s --listen 127.0.0.1:7071 --store %s/market.db --owner-token-file %s/owner.token &
  export LIBRA_TOKEN=$(cat %s/owner.token)
`, c.Dir, c.Conf, c.Dir, c.Dir, c.RestURL, key, c.Dir, c.Dir, c.Dir)
	processors := max(1, o.CPUs)
	for _, node := range c.Nodes {
		fmt.Fprintf(os.Stdout, "  (umask 077; libra token create --role node --user %s > %s/%s.token)\n", node, c.Dir, node)
		fmt.Fprintf(os.Stdout, "  libra agent --control slurm --node %s --processors %d --capacity %.1f --server $LIBRA_SERVER --token-file %s/%s.token --state %s/%s.agent &\n",
			node, processors, 0.4*float64(processors), c.Dir, node, c.Dir, node) // a processor that had less would be slower than a market believes
	}
	fmt.Fprint(os.Stdout, `  libra account open people/root --user root; libra account grant people/root 100

and when libra nodes lists the nodes:

  libra sbatch -t 0:05 --deadline=now+1minutes --budget 50 --wrap 'echo hello from $LIBRA_NODE'
`)
}
