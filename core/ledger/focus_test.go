package ledger

import (
	"encoding/csv"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// The columns that FOCUS 1.2 demands of every Cost and Usage dataset.
var focusMandatory = []string{
	"BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart",
	"ChargeCategory", "ChargeClass", "ChargeDescription", "ChargePeriodEnd", "ChargePeriodStart", "ContractedCost",
	"EffectiveCost", "InvoiceIssuerName", "ListCost", "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName",
	"ServiceCategory", "ServiceName",
}

// And those of them that may be null.
var focusNullable = []string{"BillingAccountName", "ChargeClass", "ChargeDescription", "PricingQuantity", "PricingUnit"}

func readFOCUS(t interface{ Fatal(...any) }, text string) (header []string, rows []map[string]string) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, cell := range record {
			row[records[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return records[0], rows
}

func TestFOCUSRows(t *testing.T) {
	var out strings.Builder
	err := WriteFOCUS(&out, Seller{Name: "Lab Computing", Currency: "EUR", Region: "eu-west"}, MonthOf(march), []Usage{
		{
			Job: 17, Name: "fold, twice", Account: "org/proj/ann", Start: march + 1, End: march + 2*second + 1,
			Quantity: 12.5, Charge: 1_250_001, Penalty: 40,
		},
		{Job: 18, Account: "solo", Start: march, End: march, Penalty: 2 * market.Unit},
		{Job: 19, Name: "@free", Account: "solo", Start: march, End: march + second, Quantity: 1e-7},
		{Job: 20, Account: "solo", Start: march, End: march},
		{Quote: "q21", Account: "solo", Start: march, End: march, Charge: 12},
	})
	if err != nil {
		t.Fatal(err)
	}
	header, rows := readFOCUS(t, out.String())
	for _, name := range focusMandatory {
		if !slices.Contains(header, name) {
			t.Errorf("no column %s", name)
		}
	}
	if !slices.IsSorted(header) {
		t.Errorf("columns are not in order: %v", header)
	}
	if len(rows) != 5 {
		t.Fatalf("%d rows, want 5:\n%s", len(rows), out.String())
	}
	common := map[string]string{
		"BillingCurrency": "EUR", "BillingPeriodStart": "2026-03-01T00:00:00Z", "BillingPeriodEnd": "2026-04-01T00:00:00Z",
		"ChargeClass": "", "InvoiceId": "", "InvoiceIssuerName": "Lab Computing", "ProviderName": "Lab Computing",
		"PublisherName": "Lab Computing", "RegionId": "eu-west", "RegionName": "eu-west",
		"ServiceCategory": "Compute", "ServiceName": "Libra", "ServiceSubcategory": "Other (Compute)",
		"SkuPriceDetails": "", "Tags": "",
	}
	ann := map[string]string{
		"BillingAccountId": "org", "BillingAccountName": "org", "SubAccountId": "org/proj/ann", "SubAccountName": "org/proj/ann",
		"ChargePeriodStart": "2026-03-01T00:00:00Z", "ChargePeriodEnd": "2026-03-01T00:00:03Z",
		"ResourceId": "job/17", "ResourceName": "fold, twice",
	}
	solo := map[string]string{
		"BillingAccountId": "solo", "BillingAccountName": "solo", "SubAccountId": "", "SubAccountName": "",
		"ChargePeriodStart": "2026-03-01T00:00:00Z", "ChargePeriodEnd": "2026-03-01T00:00:01Z",
	}
	usage := func(cost, quantity, description string) map[string]string {
		return map[string]string{
			"ChargeCategory": "Usage", "ChargeFrequency": "Usage-Based", "ChargeDescription": description,
			"BilledCost": cost, "EffectiveCost": cost, "ListCost": cost, "ContractedCost": cost,
			"ListUnitPrice": cost, "ContractedUnitPrice": cost, "PricingCategory": "Dynamic", "PricingQuantity": "1", "PricingUnit": "Jobs",
			"ConsumedQuantity": quantity, "ConsumedUnit": "Core-Seconds", "SkuId": "job", "SkuMeter": "Processor Time", "SkuPriceId": "job",
		}
	}
	credit := func(cost, description string) map[string]string {
		return map[string]string{
			"ChargeCategory": "Credit", "ChargeFrequency": "One-Time", "ChargeDescription": description,
			"BilledCost": cost, "EffectiveCost": cost, "ListCost": cost, "ContractedCost": cost,
			"ListUnitPrice": "", "ContractedUnitPrice": "", "PricingCategory": "", "PricingQuantity": "", "PricingUnit": "",
			"ConsumedQuantity": "", "ConsumedUnit": "", "SkuId": "", "SkuMeter": "", "SkuPriceId": "",
		}
	}
	job := map[string]string{"ResourceType": "Job"}
	rent := map[string]string{
		"ChargeCategory": "Purchase", "ChargeFrequency": "One-Time", "ChargeDescription": "Rent of quote q21, which was not taken",
		"BilledCost": "0.000012", "EffectiveCost": "0.000012", "ListCost": "0.000012", "ContractedCost": "0.000012",
		"ListUnitPrice": "0.000012", "ContractedUnitPrice": "0.000012", "PricingCategory": "Dynamic", "PricingQuantity": "1", "PricingUnit": "Quotes",
		"ConsumedQuantity": "", "ConsumedUnit": "", "SkuId": "quote-rent", "SkuMeter": "", "SkuPriceId": "quote-rent",
	}
	for i, wants := range [][]map[string]string{
		{common, job, ann, usage("1.250001", "12.5", "Job 17, 12.5 processor-seconds")},
		{common, job, ann, credit("-0.00004", "Penalty paid for job 17")},
		{common, job, solo, {"ResourceId": "job/18", "ResourceName": ""}, credit("-2", "Penalty paid for job 18")},
		{common, job, solo, {"ResourceId": "job/19", "ResourceName": "'@free"}, usage("0", "0.0000001", "Job 19, 0.0000001 processor-seconds")},
		{common, solo, {"ResourceId": "quote/q21", "ResourceName": "", "ResourceType": "Quote"}, rent},
	} {
		named := 0
		for _, want := range wants {
			for column, cell := range want {
				named++
				if got := rows[i][column]; got != cell {
					t.Errorf("row %d: %s is %q, want %q", i, column, got, cell)
				}
			}
		}
		if named != len(header) {
			t.Errorf("row %d: %d columns looked at, there are %d", i, named, len(header))
		}
	}
}

// TestFOCUSRules holds any bill against the rules of FOCUS 1.2 that a program
// can check.
func TestFOCUSRules(t *testing.T) {
	number := regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?\z`)
	moment := regexp.MustCompile(`\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\z`)
	unit := regexp.MustCompile(`\A[A-Z][A-Za-z]*(-(Years|Months|Days|Hours|Minutes|Seconds))?\z`)
	rapid.Check(t, func(t *rapid.T) {
		var sum market.Money
		usages := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Usage {
			start := rapid.Int64Range(0, lastInstant-second).Draw(t, "start")
			if rapid.Bool().Draw(t, "rent") {
				return Usage{Quote: "q7", Account: anyPath.Draw(t, "account"), Start: start, End: start, Charge: market.Money(rapid.Int64Range(1, 1<<40).Draw(t, "charge"))}
			}
			return Usage{
				Job:      rapid.Int64Range(0, math.MaxInt64).Draw(t, "job"),
				Name:     rapid.StringMatching(`[a-z =,"]{0,5}`).Draw(t, "name"),
				Account:  anyPath.Draw(t, "account"),
				Start:    start,
				End:      rapid.Int64Range(start, lastInstant-second).Draw(t, "end"),
				Quantity: rapid.Float64Range(0, math.MaxFloat64).Draw(t, "quantity"),
				Charge:   market.Money(rapid.Int64Range(0, 1<<40).Draw(t, "charge")),
				Penalty:  market.Money(rapid.Int64Range(0, 1<<40).Draw(t, "penalty")),
			}
		})).Draw(t, "usages")
		for _, u := range usages {
			sum += u.Charge - u.Penalty
		}
		var out strings.Builder
		if err := WriteFOCUS(&out, Seller{Name: "s", Currency: "USD"}, MonthOf(march), usages); err != nil {
			t.Fatal(err)
		}
		_, rows := readFOCUS(t, out.String())
		for _, row := range rows {
			for _, name := range focusMandatory {
				if row[name] == "" && !slices.Contains(focusNullable, name) {
					t.Fatalf("%s is null in %v", name, row)
				}
			}
			for name, cell := range row {
				metric := strings.HasSuffix(name, "Cost") || strings.HasSuffix(name, "UnitPrice") || strings.HasSuffix(name, "Quantity")
				switch {
				case cell == "":
				case metric && !number.MatchString(cell),
					(strings.HasSuffix(name, "PeriodStart") || strings.HasSuffix(name, "PeriodEnd")) && !moment.MatchString(cell),
					strings.HasSuffix(name, "Unit") && !unit.MatchString(cell),
					strings.HasSuffix(name, "UnitPrice") && cell[0] == '-':
					t.Fatalf("%s is %q", name, cell)
				}
			}
			if row["ChargePeriodStart"] >= row["ChargePeriodEnd"] {
				t.Fatalf("from %s to %s", row["ChargePeriodStart"], row["ChargePeriodEnd"])
			}
			cost, err := market.ParseMoney(row["BilledCost"])
			if err != nil {
				t.Fatal(err)
			}
			sum -= cost
			switch row["ChargeCategory"] {
			case "Usage":
				price, err := market.ParseMoney(row["ContractedUnitPrice"])
				if err != nil || price != cost || row["PricingQuantity"] != "1" {
					t.Fatalf("%s times %s is %s", row["ContractedUnitPrice"], row["PricingQuantity"], row["ContractedCost"])
				}
				if _, err := strconv.ParseFloat(row["ConsumedQuantity"], 64); err != nil {
					t.Fatal(err)
				}
			case "Purchase":
				if price, err := market.ParseMoney(row["ContractedUnitPrice"]); err != nil || price != cost || row["ConsumedQuantity"] != "" || row["SkuId"] == "" {
					t.Fatalf("rent of %s: %v", cost, row)
				}
			case "Credit":
				if cost >= 0 || row["ConsumedQuantity"] != "" {
					t.Fatalf("credit of %s for %s", cost, row["ConsumedQuantity"])
				}
			default:
				t.Fatalf("category %q", row["ChargeCategory"])
			}
		}
		if sum != 0 {
			t.Fatalf("the bill is short of %s", sum)
		}
	})
}

func TestFOCUSRefusals(t *testing.T) {
	seller, month := Seller{Name: "s", Currency: "USD"}, MonthOf(march)
	good := Usage{Job: 1, Account: "a", Start: march, End: march}
	for name, c := range map[string]struct {
		seller Seller
		period Period
		change func(*Usage)
	}{
		"no name":           {Seller{Currency: "USD"}, month, nil},
		"binary name":       {Seller{Name: "\xff", Currency: "USD"}, month, nil},
		"no currency":       {Seller{Name: "s", Currency: "credits"}, month, nil},
		"small currency":    {Seller{Name: "s", Currency: "usd"}, month, nil},
		"no period":         {seller, Period{}, nil},
		"endless period":    {seller, Period{0, math.MaxInt64}, nil},
		"system account":    {seller, month, func(u *Usage) { u.Account = Owner }},
		"end before start":  {seller, month, func(u *Usage) { u.End-- }},
		"no end":            {seller, month, func(u *Usage) { u.End = lastInstant }},
		"before time":       {seller, month, func(u *Usage) { u.Start = -1 }},
		"binary job":        {seller, month, func(u *Usage) { u.Name = "\xff" }},
		"negative use":      {seller, month, func(u *Usage) { u.Quantity = -1 }},
		"no number":         {seller, month, func(u *Usage) { u.Quantity = math.NaN() }},
		"endless use":       {seller, month, func(u *Usage) { u.Quantity = math.Inf(1) }},
		"negative charge":   {seller, month, func(u *Usage) { u.Charge = -1 }},
		"negative penalty":  {seller, month, func(u *Usage) { u.Penalty = math.MinInt64 }},
		"none of the above": {seller, month, func(*Usage) {}},
	} {
		usage := good
		if c.change != nil {
			c.change(&usage)
		}
		err := WriteFOCUS(&strings.Builder{}, c.seller, c.period, []Usage{usage})
		if ok := name == "none of the above"; (err == nil) != ok || err != nil && !errors.Is(err, ErrFOCUS) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := WriteFOCUS(fullDisk{}, seller, month, []Usage{good}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}
