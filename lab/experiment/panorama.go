package experiment

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/report"
)

// Panorama is every policy on several logs, and what none could exceed.
type Panorama struct {
	Logs     []string
	Policies []string // by what they earn on average, the best first; the bound is before all
	QoS      map[string][]float64
	Profit   map[string][]float64 // by policy and log, per cent
	About    string
}

// vast is a cluster on which policies that ask every processor about every job take minutes for each
// thousand jobs: a quarter of the jobs has to do there.
const vast = 50_000

// View runs every policy on the end of every log, under the agreements of 000 and
// one seed.
func View(ctx context.Context, lab *Lab, logs []*Trace, jobs int, factor float64, seed uint64) (*Panorama, error) {
	names := []string{Bound}
	for _, kind := range policy.Kinds() {
		names = append(names, kind.Name)
	}
	var cells []Cell
	about := fmt.Sprintf("The last %s jobs of each log", thousands(jobs))
	bases := make([]int, len(logs))
	for i, log := range logs {
		if bases[i] = jobs; log.Nodes > vast {
			bases[i] = jobs / 4
			about += fmt.Sprintf(" (%d of %s)", bases[i], shortLog(log.Name))
		}
	}
	for _, name := range names {
		for i, log := range logs {
			cells = append(cells, Cell{Policy: name, Nodes: log.Nodes, Jobs: Jobs{Base: log.Last(bases[i]), Model: "libra-plus", Seed: seed, Factor: factor}})
		}
	}
	results, err := lab.Run(ctx, "panorama", cells)
	if err != nil {
		return nil, err
	}
	p := &Panorama{QoS: map[string][]float64{}, Profit: map[string][]float64{}}
	p.About = fmt.Sprintf("%s, estimates exact, deadlines and budgets of the Libra+$ paper, gaps between arrivals times %v, seed %d.", about, factor, seed)
	for _, log := range logs {
		p.Logs = append(p.Logs, shortLog(log.Name))
	}
	for i, name := range names {
		p.take(name, results[i*len(logs):(i+1)*len(logs)])
	}
	mean := func(name string) float64 {
		sum := 0.0
		for _, x := range p.Profit[name] {
			sum += x
		}
		return sum
	}
	p.Policies = names[1:]
	slices.SortStableFunc(p.Policies, func(a, b string) int { return cmp.Compare(mean(b), mean(a)) })
	return p, nil
}

func (p *Panorama) take(name string, list []*report.Summary) {
	for _, s := range list {
		p.QoS[name] = append(p.QoS[name], satisfaction(s))
		p.Profit[name] = append(p.Profit[name], profitability(s))
	}
}

// shortLog is the name of a log without its year, version and ending.
func shortLog(file string) string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".swf"), "-")
	kept := parts[:0]
	for _, part := range parts {
		if part[0] >= '0' && part[0] <= '9' || part == "cln" {
			break
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, "-")
}

// Table is the same as a table in Markdown.
func (p *Panorama) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(p.Logs, " | "), strings.Repeat("---|", len(p.Logs)))
	for _, name := range append([]string{Bound}, p.Policies...) {
		shown := "`" + name + "`"
		if name == Bound {
			shown = upperBound
		}
		fmt.Fprintf(&b, "| %s |", shown)
		for i := range p.Logs {
			fmt.Fprintf(&b, " %.1f / %.1f |", p.QoS[name][i], p.Profit[name][i])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The room that the parts of the picture take.
const (
	panoramaLeft, panoramaTop   = 118.0, 190.0
	panoramaCell, panoramaRow   = 58.0, 38.0
	panoramaSize, panoramaSmall = 12.5, 11.0
)

// SVG draws a row for each policy and a column for each log: jobs in time above,
// profit below, the darker the nearer profit is to the bound.
func (p *Panorama) SVG() []byte {
	rows := append([]string{Bound}, p.Policies...)
	wide := panoramaLeft + float64(panoramaCell*float64(len(p.Logs))) + 24
	high := panoramaTop + float64(panoramaRow*float64(len(rows))) + 44
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="Every policy on every log">`+"\n", wide, high, wide, high)
	b.WriteString(`<style>text{font-family:Helvetica,Arial,sans-serif;fill:#1f2933}.bg{fill:#fff}.cell{fill:#0072b2}.soft{fill:#52606d}` +
		`@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.bg{fill:#14181d}.cell{fill:#5ab1ef}.soft{fill:#a7b3bf}}</style>` + "\n")
	fmt.Fprintf(&b, `<rect class="bg" width="%.0f" height="%.0f"/>`+"\n", wide, high)
	put := func(x, y, size float64, more, text string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" font-size="%.1f"%s>%s</text>`+"\n", x, y, size, more, html.EscapeString(text))
	}
	put(18, 32, 17, ` font-weight="600"`, "Every policy on every log, beside what no policy could exceed")
	put(18, 52, panoramaSize, ` class="soft"`, "In each cell: jobs done in time and within budget, in per cent of all (above), and profit in per cent of all budgets (below).")
	put(18, 70, panoramaSize, ` class="soft"`, "The darker, the nearer profit is to its bound. Policies by their mean profit.")
	for i, log := range p.Logs {
		x := panoramaLeft + float64(panoramaCell*(float64(i)+0.4))
		put(x, panoramaTop-8, panoramaSize, fmt.Sprintf(` transform="rotate(-45 %.1f %.1f)"`, x, panoramaTop-8), log)
	}
	for r, name := range rows {
		y := panoramaTop + float64(panoramaRow*float64(r))
		shown := name
		if name == Bound {
			shown = upperBound
		}
		put(18, y+24, panoramaSize, ` font-weight="600"`, shown)
		for i := range p.Logs {
			x := panoramaLeft + float64(panoramaCell*float64(i))
			near := p.Profit[name][i] / max(1e-9, p.Profit[Bound][i])
			fmt.Fprintf(&b, `<rect class="cell" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="3" fill-opacity="%.2f"/>`+"\n", x, y+2, panoramaCell-3, panoramaRow-4, 0.05+float64(0.5*min(1, max(0, near)*near)))
			put(x+panoramaCell/2-2, y+17, panoramaSmall, ` text-anchor="middle"`, fmt.Sprintf("%.1f", p.QoS[name][i]))
			put(x+panoramaCell/2-2, y+31, panoramaSmall, ` text-anchor="middle" font-weight="600"`, fmt.Sprintf("%.1f", p.Profit[name][i]))
		}
	}
	put(18, high-20, panoramaSmall, ` class="soft"`, p.About)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
