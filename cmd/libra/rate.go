package main

import (
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/config"
)

// rateFlag is what a processor costs, by the hour.
func rateFlag(f *pflag.FlagSet, to *string, by string) {
	f.StringVar(to, "rate", by, "`amount` that a processor costs by the hour: the base price of a new market")
}

// rateGiven puts the flag over what the file says.
func rateGiven(text string, c *config.Config) error {
	if text == "" {
		return nil
	}
	amount, err := market.ParseMoney(text)
	if err != nil || amount < 0 {
		return usagef("--rate: %q is not an amount of 0 or more", text)
	}
	c.Rates.Processor, c.Rates.Old.Processor = config.Amount(amount), nil
	c.Given.Processor = true
	return nil
}
