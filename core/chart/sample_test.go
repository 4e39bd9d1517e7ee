package chart

import (
	"math"
	"os"
	"testing"
)

func sampleLines() *Lines {
	l := &Lines{
		Title: "Decreasing workload with dynamic pricing factor β", Subtitle: "Cluster profitability: what jobs in time and within budget paid, of all budgets. Mean of 10 seeds with its 95 % confidence interval.",
		Source: "Last 5,000 jobs of SDSC-SP2-1998-4.2-cln.swf.gz on 128 nodes. Figure 4(b) of Yeo and Buyya, Pricing for Utility-driven Resource Management.",
		X:      Axis{Label: "arrival delay factor (larger: less load)"}, Y: Axis{Label: "cluster profitability, %", Zero: true},
		MarkKey: "stated in the paper",
	}
	for i, n := range []string{"Libra", "Libra+$, β = 0.1", "Libra+$, β = 0.3", "Libra+$, β = 0.5", "Libra+$, β = 1.0"} {
		s := Series{Name: n, Muted: i == 0}
		for _, x := range []float64{0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1} {
			y := 12 + float64(i)*6*math.Sqrt(x) + 20*math.Sqrt(x)
			if i == 4 {
				y -= 10 * x
			}
			s.Points = append(s.Points, Point{x, y, y - 1.5, y + 1.5})
		}
		l.Series = append(l.Series, s)
	}
	l.Marks = []Mark{{0.25, 23, "23 %", 1}, {1, 40, "40 %", 1}, {0.25, 32, "32 %", 3}, {1, 57, "57 %", 3}, {0.25, 31, "31 %", 4}, {1, 44, "44 %", 4}}
	return l
}

func sampleBars() *Bars {
	return &Bars{
		Title: "Jobs completed in time, FIFO and Libra", Subtitle: "Mean of 1,000 seeds; whiskers: the middle 95 % of the seeds. n = 1000",
		Source: "Batches made up as section 5 says.", Y: Axis{Label: "jobs completed in time"},
		Groups:   []string{"100 jobs\n10 nodes", "100 jobs\n20 nodes", "200 jobs\n10 nodes", "200 jobs\n20 nodes"},
		ValueKey: "measured", MarkKey: "paper's table",
		Series: []BarSeries{
			{"PBS FIFO", []Bar{{76.2, 70, 83, 77}, {87, 80, 92, 86}, {93.9, 85, 102, 95}, {162, 150, 170, 165}}},
			{"Libra", []Bar{{85.1, 80, 90, 86}, {91, 86, 95, 90}, {101, 94, 110, 102}, {175, 166, 184, 177}}},
		},
	}
}

func TestSamples(t *testing.T) {
	dir := os.Getenv("CHART_SAMPLES")
	if dir == "" {
		dir = t.TempDir() // nobody looks, but they are drawn
	}
	for name, svg := range map[string][]byte{"lines.svg": sampleLines().SVG(), "bars.svg": sampleBars().SVG()} {
		if err := os.WriteFile(dir+"/"+name, svg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
