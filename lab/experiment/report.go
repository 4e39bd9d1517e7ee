package experiment

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/chart"
)

// Report is what came of repeating some papers.
type Report struct {
	Options
	Parts    []Part
	Readings []Difference
}

// Part is one paper of a report.
type Part struct {
	Paper
	Figures []Figure
	Claims  []Claim
}

// Score counts the claims of each verdict, and apart those that are no evidence.
type Score struct{ Held, Failed, InNoise, Aside int }

// Total is all that are evidence.
func (s Score) Total() int { return s.Held + s.Failed + s.InNoise }

func (s *Score) count(claims []Claim) {
	for _, c := range claims {
		switch {
		case c.Mark != "":
			s.Aside++
		case c.Verdict == Holds:
			s.Held++
		case c.Verdict == Fails:
			s.Failed++
		default:
			s.InNoise++
		}
	}
}

// Score counts the claims of a paper.
func (p *Part) Score() (s Score) {
	s.count(p.Claims)
	return s
}

// Evidence are the claims that are, and Aside those that are none.
func (p *Part) Evidence() []Claim { return p.claims(false) }

// Aside are the claims that would have come out so in any case.
func (p *Part) Aside() []Claim { return p.claims(true) }

func (p *Part) claims(aside bool) (list []Claim) {
	for _, c := range p.Claims {
		if aside == (c.Mark != "") {
			list = append(list, c)
		}
	}
	return list
}

// Score counts the claims of all papers.
func (r *Report) Score() (s Score) {
	for i := range r.Parts {
		s.count(r.Parts[i].Claims)
	}
	return s
}

// Reproduce repeats papers, one after the other. Figures go to the store as
// soon as they are measured; the report comes last.
func Reproduce(ctx context.Context, list []Paper, o Options) (*Report, error) {
	r := &Report{Options: o}
	for _, p := range list {
		figures, claims, err := p.Run(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("paper %s: %w", p.Name, err)
		}
		r.Parts = append(r.Parts, Part{p, figures, claims})
	}
	var err error
	if r.Readings, err = r.differences(ctx); err != nil || o.Store == nil {
		return r, err
	}
	return r, o.Store.writeReport(r)
}

// Claims are those of all papers.
func (r *Report) Claims() []Claim {
	all := []Claim{}
	for i := range r.Parts {
		all = append(all, r.Parts[i].Claims...)
	}
	return all
}

// The files for all papers together.
const (
	pageFile   = "report.html"
	claimsFile = "claims.json"

	readingsFile = "readings.json"
)

func writeJSON(to io.Writer, what any) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(what)
}

func (s *Store) writeReport(r *Report) error {
	var claims bytes.Buffer
	if err := writeJSON(&claims, r.Claims()); err != nil {
		return fmt.Errorf("write %s: %w", claimsFile, err)
	}
	if err := s.write(claimsFile, claims.Bytes()); err != nil {
		return err
	}
	if len(r.Readings) > 0 {
		var readings bytes.Buffer
		if err := writeJSON(&readings, r.Readings); err != nil {
			return fmt.Errorf("write %s: %w", readingsFile, err)
		}
		if err := s.write(readingsFile, readings.Bytes()); err != nil {
			return err
		}
	}
	page, err := r.HTML()
	if err != nil {
		return fmt.Errorf("write %s: %w", pageFile, err)
	}
	return s.write(pageFile, page)
}

//go:embed report.tmpl.html sweep.tmpl.html style.tmpl.html
var pageFiles embed.FS

// pages are the reports that people open in a browser: each is one file that
// needs nothing beside it, in the look of all pages of the program.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"draw":   func(f *Figure) template.HTML { return template.HTML(f.Draw().Fragment()) }, // escaped by chart
	"split":  splitClaim,
	"anchor": anchor,
	"list":   func(all ...any) []any { return all },
}).ParseFS(pageFiles, "*.tmpl.html"))

// look is the styles that every report begins with.
type look struct{ PageCSS, ChartCSS template.CSS }

var ourLook = look{template.CSS(chart.PageCSS), template.CSS(chart.CSS)}

// HTML writes the report as one page.
func (r *Report) HTML() ([]byte, error) {
	var out bytes.Buffer
	err := pages.ExecuteTemplate(&out, "report.tmpl.html", struct {
		*Report
		look
		Facts [][2]string
	}{r, ourLook, r.facts()})
	return out.Bytes(), err
}

// facts are the parameters at the top of the page. There is no date among
// them: the same parameters give the same page.
func (r *Report) facts() [][2]string {
	facts := [][2]string{{"Program", "libra " + r.Version}}
	if r.Trace != nil && slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Paper.Trace }) {
		facts = append(facts, [2]string{"Workload of Libra+$ and LibraSLA", r.Trace.describe(traceJobs) + " Fingerprint " + r.Trace.Sum + "."})
	}
	var runs []string
	for i := range r.Parts {
		most := 0
		for j := range r.Parts[i].Figures {
			most = max(most, r.Parts[i].Figures[j].runs())
		}
		if most > 0 {
			runs = append(runs, fmt.Sprintf("%s: %s", r.Parts[i].Name, thousands(most)))
		}
	}
	facts = append(facts, [2]string{"Seeds per point", strings.Join(runs, ", ") + fmt.Sprintf(" (numbered from %d)", max(1, r.First))})
	if r.Reading != nil {
		facts = append(facts, [2]string{"Reading", r.Reading.Name + ": " + r.Reading.Title})
	}
	if r.Quick {
		facts = append(facts, [2]string{"Size", "quick: fewer seeds and fewer values than the papers' figures"})
	}
	return facts
}

// Shown are the figures of the paper.
func (p *Part) Shown() []*Figure { return p.pick(false) }

// Besides are the figures that stand beside those of the paper.
func (p *Part) Besides() []*Figure { return p.pick(true) }

// Portions are the parts of the claims that hold and that are within the noise, as
// widths in CSS.
func (s Score) Portions() [2]string {
	of := func(n int) string { return fmt.Sprintf("%.1f%%", 100*share(int64(n), int64(s.Total()))) }
	return [2]string{of(s.Held), of(s.InNoise)}
}

func (p *Part) pick(beside bool) (list []*Figure) {
	for i := range p.Figures {
		if p.Figures[i].Beside == beside {
			list = append(list, &p.Figures[i])
		}
	}
	return list
}

// splitClaim takes section and words apart again.
func splitClaim(text string) [2]string {
	section, quote, found := strings.Cut(text, ": \u201c")
	if !found {
		return [2]string{"", text}
	}
	return [2]string{section, "\u201c" + quote}
}

// anchor finds the figure that a claim is about, so that it can be linked.
func anchor(p Part, number string) string {
	for i := range p.Figures {
		if p.Figures[i].Number == number {
			return p.Figures[i].ID
		}
	}
	for i := range p.Figures {
		if strings.HasPrefix(p.Figures[i].Number, number+"(") {
			return p.Figures[i].ID
		}
	}
	return ""
}
