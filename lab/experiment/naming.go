package experiment

import "strings"

// A number is that of the paper, "2(a)" or "table 1"; a figure that stands
// beside one of the paper has a word after it: "2, beside".

// figureID names the files of a figure: libra-plus-fig2a, libra-table1-late.
func figureID(paper, number string) string {
	number = strings.NewReplacer("(", "", ")", "", ", ", "-", " ", "").Replace(number)
	number = strings.ToLower(number)
	if !strings.HasPrefix(number, "table") {
		number = "fig" + number
	}
	return paper + "-" + number
}

// figureTitle begins with the number, as people will look for it.
func figureTitle(number, title string) string {
	number, _, beside := strings.Cut(number, ", ")
	number = strings.Replace(number, "table I", "Table I", 1)
	if !strings.HasPrefix(number, "table") {
		number = "figure " + number
	}
	if beside {
		return "Beside " + number + ". " + title
	}
	return strings.ToUpper(number[:1]) + number[1:] + ". " + title
}
