package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/core/spelling"
)

// fewAccounts is as many as an error can name.
const fewAccounts = 8

// noAccount says that there is none of that path, and which there are.
func noAccount(ctx context.Context, market *client.Client, path, where string) error {
	all, err := market.Accounts(ctx, "")
	if err != nil {
		return err
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Path
	}
	hint := spelling.Hint(path, names)
	if hint == "" && len(names) > 0 && len(names) <= fewAccounts {
		hint = "; there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("there is no account %s%s (libra account%s lists them)", path, hint, where)
}
