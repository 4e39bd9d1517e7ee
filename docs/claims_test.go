package docs

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// What the first page says came of the papers is what docs/papers.md says, and
// there the rows add up to the last.
func TestTheFirstPageCountsClaimsAlike(t *testing.T) {
	r := readTree(t)
	numbers := regexp.MustCompile(`\d+`)
	counts := func(text string) (out []int) {
		for _, n := range numbers.FindAllString(text, -1) {
			count, _ := strconv.Atoi(n)
			out = append(out, count)
		}
		return out
	}
	rows := regexp.MustCompile(`(?m)^\| (\d{3}|all) ((?:\| \d+ ){4})\|$`).FindAllStringSubmatch(r.docs["docs/papers.md"], -1)
	sum := make([]int, 4)
	var all []int
	for _, row := range rows {
		cells := counts(row[2])
		if row[1] == "all" {
			all = cells
			continue
		}
		for i := range sum {
			sum[i] += cells[i]
		}
	}
	if len(rows) != 6 || !slices.Equal(sum, all) {
		t.Fatalf("%d papers have %v, and the last row of docs/papers.md %v", len(rows)-1, sum, all)
	}
	said := counts(regexp.MustCompile(`(?s)Of \d+ claims .*?within the noise`).FindString(r.docs["README.md"]))
	want := []int{all[0] + all[1] + all[2] + all[3], all[3], all[0], all[1], all[2]}
	if !slices.Equal(said, want) {
		t.Errorf("README.md says %v, docs/papers.md %v", said, want)
	}
}
