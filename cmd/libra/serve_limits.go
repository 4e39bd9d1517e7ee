package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/fair"
)

// limitFlag sets what one user may take.
func limitFlag(f *pflag.FlagSet, to *[]string) {
	f.StringArrayVar(to, "limit", nil, "name=value: a limit of each user, 0 for none ("+strings.Join(fair.Names(), ", ")+"); may be repeated")
}

// setLimits puts the limits that were given over those of the file.
func setLimits(c *config.Config, given []string) error {
	for _, one := range given {
		name, value, found := strings.Cut(one, "=")
		if !found {
			return usagef("--limit: %q is not name=value", one)
		}
		if err := c.Limits.Set(name, value); err != nil {
			return usagef("--limit: %w", err)
		}
	}
	return nil
}
