package main

import (
	"slices"
	"strings"

	"github.com/libra-market/libra/lab/experiment"
)

func paperNames() []string {
	var names []string
	for _, p := range experiment.Papers() {
		names = append(names, p.Name)
	}
	return append(names, allPapers)
}

func paperHelp() string {
	g := &grid{left: 2}
	for _, p := range experiment.Papers() {
		g.add(p.Name, p.Title)
	}
	return inHelp(g)
}

// inHelp is a table as help shows it.
func inHelp(g *grid) string {
	var b strings.Builder
	_ = g.write(&b, "  ") // a builder takes everything
	return strings.TrimRight(b.String(), "\n")
}

// findPapers gives the papers of a name.
func findPapers(name string) ([]experiment.Paper, error) {
	if name == allPapers {
		return experiment.Papers(), nil
	}
	for _, p := range experiment.Papers() {
		if p.Name == name {
			return []experiment.Paper{p}, nil
		}
	}
	return nil, usagef("unknown paper %q (want one of %s)", name, strings.Join(paperNames(), ", "))
}

func readingNames() []string {
	var names []string
	for _, r := range experiment.Readings() {
		names = append(names, r.Name)
	}
	return names
}

// findReading gives the reading of a name, if it is one of the papers'.
func findReading(name string, papers []experiment.Paper) (*experiment.Reading, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no name is the usual reading
	}
	for _, r := range experiment.Readings() {
		if r.Name != name {
			continue
		}
		if !slices.ContainsFunc(papers, func(p experiment.Paper) bool { return slices.Contains(r.Papers, p.Name) }) {
			return nil, usagef("--reading %s is one of %s alone", name, strings.Join(r.Papers, ", "))
		}
		return &r, nil
	}
	return nil, usagef("unknown reading %q (want one of %s)", name, strings.Join(readingNames(), ", "))
}

func readingHelp() string {
	g := &grid{left: 2}
	for _, r := range experiment.Readings() {
		g.add(r.Name, r.Title)
	}
	return inHelp(g)
}
