package experiment

import "fmt"

// libraStatements are the statements of 002 about its results.
func libraStatements() []statement {
	var list []statement
	for i, row := range tableCases {
		for _, column := range []struct {
			name string
			want float64
		}{{pbsFIFO, row.FIFO}, {libra, row.Libra}} {
			list = append(list, statement{
				"table 1", "Table 1", fmt.Sprintf("%s: %s completes %.0f in time, %.0f not", row, column.name, column.want, float64(row.Jobs)-column.want),
				fmt.Sprintf("%.0f within the middle 95 %% of the seeds", column.want), func(e evidence) verdict {
					c := e.line("table 1", column.name)
					if i >= len(c) {
						return verdict{holds: false, measured: "not measured"}
					}
					p := c[i]
					return verdict{holds: p.Low <= column.want && column.want <= p.High, measured: fmt.Sprintf("mean %.1f, range %.0f to %.0f", p.Mean, p.Low, p.High)}
				},
			})
		}
	}
	return append(list,
		statement{
			"table 1", "Performance evaluation", "in all four cases the Libra proportional share algorithm performs better than the PBS's FIFO algorithm, in that it completed more jobs within the deadline",
			"mean difference above 0 in all four", func(e evidence) verdict {
				v := verdict{holds: true}
				for i, p := range e.line("table 1, gain", "Libra − FIFO") {
					v.holds = v.holds && p.Mean > 0
					v.measured += fmt.Sprintf("%s%s: %s (%s to %s)", comma(i), tableCases[i], signed(p.Mean), signed(p.Low), signed(p.High))
				}
				return v
			},
		},
		statement{
			"table 1", "Performance evaluation", "there isn't much of a difference between the two algorithms when the cluster is large and the workload is small",
			"100 jobs on 20 nodes: at most 5 jobs apart on average, and the smallest difference of the four", func(e evidence) verdict {
				c := e.line("table 1, gain", "Libra − FIFO")
				v := gains(c)
				small := c.at(1)
				return verdict{holds: small <= 5 && small >= -5 && small <= min(c.at(0), c.at(2), c.at(3)), measured: v}
			},
		},
		statement{
			"table 1", "Performance evaluation", "as the workload increases the difference between the number of jobs successfully completed between the two increases",
			"from 100 to 200 jobs the mean difference grows, on 10 nodes and on 20", func(e evidence) verdict {
				c := e.line("table 1, gain", "Libra − FIFO")
				return verdict{holds: c.at(2) > c.at(0) && c.at(3) > c.at(1), measured: gains(c)}
			},
		},
		statement{
			"table 1", "Libra scheduling algorithm", "the Libra scheduler is able to guarantee that jobs will be completed within their deadline",
			"no accepted job is late, in any run", func(e evidence) verdict {
				late := e.line("table 1, late", libra)
				_, most := late.peak()
				return verdict{holds: most == 0, measured: fmt.Sprintf("largest mean of late jobs: %.2f", most)}
			},
		},
		statement{
			"table 1, budget", "Abstract", "The Libra scheduler ensures that both these constraints are met",
			"no job costs more than its budget, in any run", func(e evidence) verdict {
				_, most := e.line("table 1, budget", libra).peak()
				return verdict{holds: most == 0, measured: fmt.Sprintf("largest mean of jobs over budget: %.2f", most)}
			},
		},
		statement{
			"table 1, events", "Abstract", "[both constraints are met] within an O(n) run-time",
			"of n nodes each is asked once: on 20 nodes at most twice as many events for each job as on 10", func(e evidence) verdict {
				c := e.line("table 1, events", libra)
				return verdict{holds: c.at(1) <= 2*c.at(0) && c.at(3) <= 2*c.at(2), measured: fmt.Sprintf("events per job on 10 and on 20 nodes: %.1f and %.1f of 100 jobs, %.1f and %.1f of 200", c.at(0), c.at(1), c.at(2), c.at(3))}
			},
		},
		statement{
			"table 1", "Abstract", "the deadline and budget based proportional resource allocation strategy improves ... user satisfaction as compared to system-centric scheduling strategies",
			"users whose job is done in time: more under Libra than under FIFO, summed over the four cases", func(e evidence) verdict {
				fifo, shared := e.line("table 1", pbsFIFO), e.line("table 1", libra)
				n := float64(len(fifo))
				return above("Libra", shared.average()*n, "FIFO", fifo.average()*n, 0)
			},
		})
}

// gains lists the mean differences of the four rows.
func gains(c curve) string {
	text := ""
	for i, p := range c {
		text += fmt.Sprintf("%s%s: %s", comma(i), tableCases[i], signed(p.Mean))
	}
	return text
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}
