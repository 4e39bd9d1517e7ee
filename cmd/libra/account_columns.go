package main

import (
	"cmp"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// accountColumns are what can be asked of accounts.
var accountColumns = columns[v1.Account]{
	{name: "account", words: true, shown: func(a *v1.Account) string { return a.Path }},
	amountColumn("free", func(a *v1.Account) *int64 { return &a.Free }),
	amountColumn("held", func(a *v1.Account) *int64 { return &a.Held }),
	amountColumn("spent", func(a *v1.Account) *int64 { return &a.Spent }),
	amountColumn("used", func(a *v1.Account) *int64 { return &a.Used }),
	amountColumn("limit", func(a *v1.Account) *int64 { return a.Limit }),
	amountColumn("credit", func(a *v1.Account) *int64 { return &a.Credit }),
	{name: "users", shown: func(a *v1.Account) string { return cmp.Or(strings.Join(a.Users, ","), "-") }, exact: func(a *v1.Account) string { return strings.Join(a.Users, ",") }},
	{name: "state", wide: true, shown: func(a *v1.Account) string {
		if a.Closed {
			return "closed"
		}
		return "open"
	}},
	{name: "allowance", wide: true, shown: func(a *v1.Account) string { return cmp.Or(incomeOf(a), "-") }, exact: incomeOf},
	amountColumn("sent", func(a *v1.Account) *int64 { return &a.Sent }),
}

// amountColumn is a column of money, some of which there may be none of.
func amountColumn[T any](name string, of func(*T) *int64) column[T] {
	return column[T]{
		name: name, amount: true,
		shown: func(item *T) string {
			if micros := of(item); micros != nil {
				return bare(*micros)
			}
			return "-"
		},
		exact: func(item *T) string {
			if micros := of(item); micros != nil {
				return market.Money(*micros).String()
			}
			return ""
		},
		order: func(item *T) int64 {
			if micros := of(item); micros != nil {
				return *micros
			}
			return 0
		},
	}
}
