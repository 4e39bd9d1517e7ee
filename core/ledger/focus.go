package ledger

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
)

// ErrFOCUS says that something cannot be said in FOCUS.
var ErrFOCUS = errors.New("not to be said in FOCUS")

// Usage is what one job used and what came of it, or the rent of a quote that was
// not taken.
type Usage struct {
	Job      int64
	Quote    string // whose rent the charge is; "": it is a job's
	Name     string // "": none
	Account  market.Account
	Start    int64 // microseconds since 1970
	End      int64
	Quantity float64 // processor-seconds
	Charge   market.Money
	Penalty  market.Money // that the provider paid
}

// Seller is who sends the bill.
type Seller struct {
	Name     string
	Currency string // three letters of ISO 4217
	Region   string // where the machines are; "": not said
}

// NoCurrency is what ISO 4217 writes where there is none.
const NoCurrency = "XXX"

// credits are what amounts are in where no currency is named.
const credits = "cr"

// Unit is what stands behind an amount for people: the currency, or that it is credits
// of the market's own.
func (s Seller) Unit() string {
	if s.Currency == NoCurrency || s.Currency == "" {
		return credits
	}
	return s.Currency
}

// What FOCUS calls the things of this market. A price is agreed for a whole
// job, so the job is what is priced, at a price that changes all the time;
// processor time is what is consumed. That way the unit price times the
// quantity is the cost to the last digit, as FOCUS demands.
const (
	focusService     = "Libra"
	focusCategory    = "Compute"
	focusSubcategory = "Other (Compute)"
	focusSKU         = "job"
	focusMeter       = "Processor Time"
	focusConsumed    = "Core-Seconds"
	focusPriced      = "Jobs"
	focusRent        = "quote-rent" // room that was kept: bought, and not used
	focusRented      = "Quotes"
)

// focusRow is a row of the Cost and Usage dataset of FOCUS 1.2, in the order of
// the columns' names; an empty cell is a null.
//
// These are the 21 mandatory columns, the recommended ones (ChargeFrequency,
// InvoiceId, ServiceSubcategory) and those of the conditional ones whose
// condition holds here: measured usage, unit prices, sub-accounts, resources,
// regions.
type focusRow struct {
	billedCost         string
	billingAccount     string
	subAccount         string
	currency           string
	billing            Period
	category           string
	description        string
	frequency          string
	chargeStart        int64
	chargeEnd          int64
	consumed           string
	consumedUnit       string
	unitPrice          string
	pricingCategory    string
	pricingQuantity    string
	pricingUnit        string
	seller             string
	region             string
	resource           string
	resourceName       string
	resourceType       string
	sku, meter, priced string
}

func (r *focusRow) columns() [][2]string {
	return [][2]string{
		{"BilledCost", r.billedCost},
		{"BillingAccountId", r.billingAccount},
		{"BillingAccountName", r.billingAccount},
		{"BillingCurrency", r.currency},
		{"BillingPeriodEnd", stamp(r.billing.End)},
		{"BillingPeriodStart", stamp(r.billing.Start)},
		{"ChargeCategory", r.category},
		{"ChargeClass", ""}, // no row corrects an earlier bill
		{"ChargeDescription", r.description},
		{"ChargeFrequency", r.frequency},
		{"ChargePeriodEnd", stamp(r.chargeEnd)},
		{"ChargePeriodStart", stamp(r.chargeStart)},
		{"ConsumedQuantity", r.consumed},
		{"ConsumedUnit", r.consumedUnit},
		{"ContractedCost", r.billedCost}, // nothing is discounted, nothing prepaid: all four costs are one
		{"ContractedUnitPrice", r.unitPrice},
		{"EffectiveCost", r.billedCost},
		{"InvoiceId", ""},
		{"InvoiceIssuerName", r.seller},
		{"ListCost", r.billedCost},
		{"ListUnitPrice", r.unitPrice},
		{"PricingCategory", r.pricingCategory},
		{"PricingQuantity", r.pricingQuantity},
		{"PricingUnit", r.pricingUnit},
		{"ProviderName", r.seller},
		{"PublisherName", r.seller},
		{"RegionId", r.region},
		{"RegionName", r.region},
		{"ResourceId", r.resource},
		{"ResourceName", r.resourceName},
		{"ResourceType", r.resourceType},
		{"ServiceCategory", focusCategory},
		{"ServiceName", focusService},
		{"ServiceSubcategory", focusSubcategory},
		{"SkuId", r.sku},
		{"SkuMeter", r.meter},
		{"SkuPriceDetails", ""},
		{"SkuPriceId", r.priced},
		{"SubAccountId", r.subAccount},
		{"SubAccountName", r.subAccount},
		{"Tags", ""},
	}
}

// WriteFOCUS writes a bill in the format of FOCUS 1.2 (FinOps Open Cost and
// Usage Specification) as CSV: for each job a row of category Usage with its
// charge, unless it used and cost nothing, for each penalty one of category
// Credit with a negative cost, and for each rent of a quote one of category
// Purchase. Which jobs belong to the period is for the
// caller to say; their times are written to the second, rounded outwards.
//
// The first part of an account's path is the billing account; the whole path,
// where it is longer, is the sub-account.
func WriteFOCUS(to io.Writer, seller Seller, billing Period, usages []Usage) error {
	if err := checkBill(seller, billing); err != nil {
		return err
	}
	out := csv.NewWriter(to)
	columns := (&focusRow{}).columns()
	cells := make([]string, len(columns))
	for i := range columns {
		cells[i] = columns[i][0]
	}
	if err := out.Write(cells); err != nil {
		return err
	}
	for i := range usages {
		if err := usages[i].check(); err != nil {
			return err
		}
		for _, row := range usages[i].rows(seller, billing) {
			for i, column := range row.columns() {
				cells[i] = plain.Cell(column[1])
			}
			if err := out.Write(cells); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (u *Usage) rows(seller Seller, billing Period) []focusRow {
	both := focusRow{
		billingAccount: string(top(u.Account)),
		currency:       seller.Currency,
		billing:        billing,
		chargeStart:    u.Start - u.Start%second,
		seller:         seller.Name,
		region:         seller.Region,
		resource:       "job/" + strconv.FormatInt(u.Job, 10),
		resourceName:   u.Name,
		resourceType:   "Job",
	}
	// The end is not in the period, and a period of nothing is none.
	both.chargeEnd = max((u.End+second-1)/second*second, both.chargeStart+second)
	if top(u.Account) != u.Account {
		both.subAccount = string(u.Account)
	}
	if u.Quote != "" {
		return []focusRow{u.rent(both)}
	}
	var rows []focusRow
	if u.Charge != 0 || u.Quantity != 0 {
		row := both
		row.billedCost = u.Charge.String()
		row.category, row.frequency = "Usage", "Usage-Based"
		row.consumed, row.consumedUnit = strconv.FormatFloat(u.Quantity+0, 'f', -1, 64), focusConsumed // -0 is 0
		row.description = fmt.Sprintf("Job %d, %s processor-seconds", u.Job, row.consumed)
		row.unitPrice = row.billedCost
		row.pricingCategory, row.pricingQuantity, row.pricingUnit = "Dynamic", "1", focusPriced
		row.sku, row.meter, row.priced = focusSKU, focusMeter, focusSKU
		rows = append(rows, row)
	}
	if u.Penalty != 0 {
		row := both
		row.billedCost = (-u.Penalty).String()
		row.category, row.frequency = "Credit", "One-Time"
		row.description = fmt.Sprintf("Penalty paid for job %d", u.Job)
		rows = append(rows, row)
	}
	return rows
}

// rent is the row of a quote that was not taken: nothing was consumed, but room was
// kept and is paid for.
func (u *Usage) rent(row focusRow) focusRow {
	row.resource, row.resourceType = "quote/"+u.Quote, "Quote"
	row.billedCost = u.Charge.String()
	row.category, row.frequency = "Purchase", "One-Time"
	row.description = fmt.Sprintf("Rent of quote %s, which was not taken", u.Quote)
	row.unitPrice = row.billedCost
	row.pricingCategory, row.pricingQuantity, row.pricingUnit = "Dynamic", "1", focusRented
	row.sku, row.priced = focusRent, focusRent
	return row
}

func checkBill(seller Seller, billing Period) error {
	if seller.Name == "" || !utf8.ValidString(seller.Name) {
		return fmt.Errorf("%w: a seller of name %q", ErrFOCUS, seller.Name)
	}
	if len(seller.Currency) != 3 || strings.Trim(seller.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("%w: currency %q (want three capital letters of ISO 4217)", ErrFOCUS, seller.Currency)
	}
	if checkTime(billing.Start) != nil || checkTime(billing.End) != nil || billing.Start >= billing.End {
		return fmt.Errorf("%w: a period from %d to %d", ErrFOCUS, billing.Start, billing.End)
	}
	return nil
}

func (u *Usage) check() error {
	switch {
	case CheckPath(u.Account) != nil:
		return fmt.Errorf("%w: job %d: %w", ErrFOCUS, u.Job, CheckPath(u.Account))
	case checkTime(u.Start) != nil || checkTime(u.End) != nil || u.Start > u.End || u.End > lastInstant-second:
		return fmt.Errorf("%w: job %d from %d to %d", ErrFOCUS, u.Job, u.Start, u.End)
	case !utf8.ValidString(u.Name):
		return fmt.Errorf("%w: job %d of name %q", ErrFOCUS, u.Job, u.Name)
	case !(u.Quantity >= 0 && u.Quantity <= math.MaxFloat64):
		return fmt.Errorf("%w: job %d used %v processor-seconds", ErrFOCUS, u.Job, u.Quantity)
	case u.Quote != "" && (u.Quantity != 0 || u.Penalty != 0):
		return fmt.Errorf("%w: quote %s with %v processor-seconds and a penalty of %s", ErrFOCUS, u.Quote, u.Quantity, u.Penalty)
	case u.Charge < 0 || u.Penalty < 0:
		return fmt.Errorf("%w: job %d with a charge of %s and a penalty of %s", ErrFOCUS, u.Job, u.Charge, u.Penalty)
	}
	return nil
}
