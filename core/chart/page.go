package chart

import _ "embed"

// PageCSS is the look of every page that the program writes: colours for light
// and dark, type, tables, verdicts, cards. The page of the market and the reports
// of experiments begin with it and add what is theirs alone. It names no font or
// picture that must be fetched.
//
//go:embed page.css
var PageCSS string
