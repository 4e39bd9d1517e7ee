package main

import (
	"strconv"

	"github.com/libra-market/libra/client/v1"
)

// priceColumns are what can be asked of the prices of a standard job.
var priceColumns = columns[v1.PricePoint]{
	{name: "deadline", shown: func(p *v1.PricePoint) string { return flagSpan(p.DeadlineMS) }, exact: func(p *v1.PricePoint) string { return strconv.FormatFloat(float64(p.DeadlineMS)/1000, 'f', -1, 64) }, order: func(p *v1.PricePoint) int64 { return p.DeadlineMS }},
	{name: "factor", head: "x estimate", shown: func(p *v1.PricePoint) string { return strconv.FormatFloat(p.Factor, 'f', 2, 64) }, order: func(p *v1.PricePoint) int64 { return int64(p.Factor * 1e6) }},
	amountColumn("price", func(p *v1.PricePoint) *int64 {
		if p.Refused != "" {
			return nil
		}
		return &p.Price
	}),
	{name: "refused", wide: true, shown: func(p *v1.PricePoint) string { return p.Refused }},
}
