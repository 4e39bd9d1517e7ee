package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/libra-market/libra/live/slurm/association"
)

// Associations says which accounts there are in slurmdbd and who may use them, of the
// cluster named, or of the one that slurmctld is of.
func Associations(ctx context.Context, o Options, cluster string) (*association.Tree, error) {
	o = o.chosen()
	c := &commands{conf: o.Conf, timeout: o.Timeout}
	if cluster == "" {
		var err error
		if cluster, err = c.clusterName(ctx); err != nil {
			return nil, err
		}
	}
	if strings.ContainsAny(cluster, ", \t\n|=") {
		return nil, fmt.Errorf("%q is not the name of a cluster", cluster)
	}
	var text strings.Builder
	for _, table := range [][]string{
		{"show", "associations", "where", "cluster=" + cluster, "format=" + association.Fields},
		{"show", "user", "withassoc", "where", "cluster=" + cluster, "format=" + association.DefaultFields},
	} {
		out, err := c.run(ctx, call{argv: append([]string{"sacctmgr", "--parsable2"}, table...)})
		if err != nil {
			return nil, fmt.Errorf("associations: %w", err)
		}
		text.WriteString(out)
	}
	return association.Read(cluster, text.String())
}

func (c *commands) clusterName(ctx context.Context) (string, error) {
	out, err := c.run(ctx, call{argv: []string{"scontrol", "show", "config"}})
	if err != nil {
		return "", fmt.Errorf("name of the cluster: %w", err)
	}
	for line := range strings.Lines(out) {
		if name, value, found := strings.Cut(line, "="); found && strings.TrimSpace(name) == "ClusterName" {
			return strings.TrimSpace(value), nil
		}
	}
	return "", errors.New("slurmctld does not say what the cluster is called")
}
