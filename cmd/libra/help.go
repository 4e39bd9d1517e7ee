package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// What help has where nobody says how wide the terminal is, and at most: longer lines
// are hard to read.
const (
	helpColumns     = 80
	mostHelpColumns = 100
)

// fitHelp makes help of lines that the terminal has room for, broken between words.
// Examples stay as they are: they are there to be pasted.
func fitHelp(root *cobra.Command, con *console) {
	most := proseColumns(con.out)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", most)))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		about := strings.TrimSpace(cmd.Long)
		if about == "" {
			about = cmd.Short
		}
		_, _ = io.WriteString(cmd.OutOrStdout(), flow(about, most)+"\n\n"+fitLists(cmd.UsageString(), most)) // as cobra does
	})
}

func proseColumns(to io.Writer) int {
	if columns := columnsIn(to); columns > 0 {
		return min(columns, mostHelpColumns)
	}
	return helpColumns
}

// flow breaks the paragraphs anew in which a line is too long. Lines that stand in are
// examples, and stay.
func flow(text string, most int) string {
	var done, paragraph []string
	finish := func() {
		long := false
		for _, line := range paragraph {
			long = long || columnsOf(line) > most
		}
		if long {
			paragraph = inColumns(strings.Join(paragraph, " "), most)
		}
		done, paragraph = append(done, paragraph...), nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		finish()
		done = append(done, line)
	}
	finish()
	return strings.Join(done, "\n")
}

// listed is a line of a list: a name, and after some spaces what it is.
var listed = regexp.MustCompile(`^  \S+ +`)

// fitLists breaks what is said of each command where it is too long. Flags are broken
// already.
func fitLists(usage string, most int) string {
	lines := strings.Split(usage, "\n")
	done := make([]string, 0, len(lines))
	list := false
	for _, line := range lines {
		if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			list = line != "Usage:" && line != "Examples:" && !strings.HasSuffix(line, "lags:")
		}
		if line != "" && line[0] != ' ' {
			done = append(done, inColumns(line, most)...)
			continue
		}
		name := listed.FindString(line)
		if room := most - columnsOf(name); list && name != "" && columnsOf(line) > most && room >= leastText {
			for i, part := range inColumns(line[len(name):], room) {
				if i > 0 {
					name = strings.Repeat(" ", columnsOf(name))
				}
				done = append(done, name+part)
			}
			continue
		}
		done = append(done, line)
	}
	return strings.Join(done, "\n")
}

// prose writes a paragraph, broken between words where somebody watches.
func prose(to io.Writer, format string, args ...any) error {
	for i := range args {
		args[i] = visible(args[i])
	}
	text := fmt.Sprintf(format, args...)
	if most := columnsIn(to); most > 0 {
		text = strings.Join(inColumns(text, most), "\n")
	}
	_, err := io.WriteString(to, text+"\n")
	return err
}
