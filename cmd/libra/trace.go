package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/lab/workload"
)

func newTrace(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Inspect, convert and generate workloads",
		Long: `Inspect, convert and generate workloads: logs in the Standard Workload Format
(.swf) and workload CSVs (.csv), both also compressed with gzip (.gz), and files of
job specifications (.yaml).`,
		Example: `  libra trace info SDSC-SP2.swf.gz
  libra trace convert --last 5000 --sla libra-plus SDSC-SP2.swf.gz jobs.csv
  libra trace generate --jobs 1000000 --nodes 256 --out big.swf.gz`,
		RunE: showHelp,
	}
	cmd.AddCommand(newTraceInfo(con), newTraceHead(con), newTraceConvert(con), newTraceGenerate(con))
	return cmd
}

// formatYAML is how --format names job specifications.
const formatYAML = "yaml"

// formatOf tells the format to write: as asked for, or by the name of the file.
func formatOf(asked, path string) (workload.Format, error) {
	name := asked
	if name == "" {
		base := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
		name = strings.TrimPrefix(filepath.Ext(base), ".")
	}
	switch {
	case name == workload.FormatSWF.String():
		return workload.FormatSWF, nil
	case name == workload.FormatCSV.String():
		return workload.FormatCSV, nil
	case name == formatYAML || isSpec(path) && asked == "":
		return workload.FormatSpec, nil
	case asked != "":
		return 0, usagef("--format: %q is not one of swf, csv, yaml", asked)
	}
	return 0, usagef("%s: the name does not say which format to write: end it in .swf, .csv or .yaml, or give --format", path)
}
