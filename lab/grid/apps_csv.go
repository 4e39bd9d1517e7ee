package grid

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
	"github.com/libra-market/libra/lab/table"
)

// The columns of a file of applications. What optional work pays is either
// optional_rate, for each MI, or budget, the corners of b(l) as l:b, apart by
// semicolons: 0:0;1000000:5;4000000:8. A file that has both columns has one of
// them empty in every line.
var (
	appColumns  = []string{"id", "arrival", "p", "m", "o", "deadline", "bm"}
	paysColumns = []string{rateColumn, budgetColumn}
)

const (
	rateColumn   = "optional_rate"
	budgetColumn = "budget"
)

// ReadApplications reads a file of applications, which need not be in order of
// arrival. The file's name stands in errors, which are [*market.PlaceError].
func ReadApplications(in io.Reader, file string) ([]Application, error) {
	t, err := table.Open(in, file, appColumns, paysColumns)
	if err != nil {
		return nil, err
	}
	if !t.Has(rateColumn) && !t.Has(budgetColumn) {
		return nil, t.Wrong("", fmt.Errorf("no column %q (or %q)", rateColumn, budgetColumn))
	}
	var apps []Application
	for {
		if err := t.Next(); errors.Is(err, io.EOF) {
			return apps, nil
		} else if err != nil {
			return nil, err
		}
		a := Application{Position: len(apps)}
		if err := fill(t, &a); err != nil {
			return nil, err
		}
		apps = append(apps, a)
	}
}

// fill makes an application of the line.
func fill(t *table.Table, a *Application) (err error) {
	if a.ID, err = t.Name("id"); err != nil {
		return err
	}
	var arrival, m, o, deadline, worth float64
	for _, number := range [...]struct {
		column string
		into   *float64
	}{
		{"arrival", &arrival}, {"m", &m}, {"o", &o}, {"deadline", &deadline}, {"bm", &worth},
	} {
		if *number.into, err = t.Number(number.column); err != nil {
			return err
		}
	}
	if a.Jobs, err = t.Whole("p"); err != nil {
		return err
	}
	a.Arrival, a.Deadline = market.Time(arrival), market.Time(deadline)
	a.Mandatory, a.Optional, a.Worth = market.Work(m), market.Work(o), market.Price(worth)
	if err = a.Validate(); err != nil {
		return t.Wrong("", err)
	}
	a.Budget, err = readBudget(t)
	return err
}

// budget reads what optional work pays.
func readBudget(t *table.Table) (Budget, error) {
	rate, corners := t.Text(rateColumn), t.Text(budgetColumn)
	switch {
	case corners == "" && !t.Has(rateColumn):
		return Budget{}, t.Wrong(budgetColumn, table.ErrEmpty)
	case corners == "":
		x, err := t.Number(rateColumn)
		if err != nil {
			return Budget{}, err
		}
		b, err := Linear(market.Price(x))
		if err != nil {
			return Budget{}, t.Wrong(rateColumn, err)
		}
		return b, nil
	case rate != "":
		return Budget{}, t.Wrong(budgetColumn, fmt.Errorf("%s says already what optional work pays: leave one of them empty", rateColumn))
	}
	b, err := ParseBudget(corners)
	if err != nil {
		return Budget{}, t.Wrong(budgetColumn, err)
	}
	return b, nil
}

// ParseBudget reads the corners of a budget as l:b, apart by semicolons.
func ParseBudget(text string) (Budget, error) {
	var points []Point
	for corner := range strings.SplitSeq(text, ";") {
		work, paid, ok := strings.Cut(corner, ":")
		if !ok {
			return Budget{}, fmt.Errorf("%q is not l:b", corner)
		}
		l, err := table.ParseNumber(strings.TrimSpace(work))
		if err != nil {
			return Budget{}, fmt.Errorf("point %d: %w", len(points)+1, err)
		}
		b, err := table.ParseNumber(strings.TrimSpace(paid))
		if err != nil {
			return Budget{}, fmt.Errorf("point %d: %w", len(points)+1, err)
		}
		points = append(points, Point{market.Work(l), market.Price(b)})
	}
	return Piecewise(points...)
}

// String writes a budget that is not linear as [ParseBudget] reads it, and a
// linear one as its rate.
func (b Budget) String() string {
	if b.points == nil {
		return decimal(b.rate)
	}
	var text strings.Builder
	for i, p := range b.points {
		if i > 0 {
			text.WriteByte(';')
		}
		text.WriteString(decimal(float64(p.Work)) + ":" + decimal(float64(p.Paid)))
	}
	return text.String()
}

// WriteApplications writes a file of applications. The column budget is there
// only if some application needs it.
func WriteApplications(out io.Writer, apps []Application) error {
	header := append(append([]string(nil), appColumns...), rateColumn)
	for i := range apps {
		if _, linear := apps[i].Budget.Rate(); !linear {
			header = append(header, budgetColumn)
			break
		}
	}
	w := csv.NewWriter(out)
	if err := w.Write(header); err != nil {
		return err
	}
	record := make([]string, len(header))
	for i := range apps {
		a := &apps[i]
		clear(record)
		copy(record, []string{
			plain.Guard(a.ID), decimal(float64(a.Arrival)), strconv.Itoa(a.Jobs), decimal(float64(a.Mandatory)), decimal(float64(a.Optional)),
			decimal(float64(a.Deadline)), decimal(float64(a.Worth)),
		})
		pays := len(appColumns)
		if _, linear := a.Budget.Rate(); !linear {
			pays++
		}
		record[pays] = a.Budget.String()
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// decimal is the shortest decimal that reads back as the same number, without
// an exponent.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
