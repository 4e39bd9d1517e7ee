// Package spec reads and writes what people write: the specification of a job
// and the description of a cluster, in YAML or in JSON.
//
// A job is made of segments (000, section IV): details, resources, qos and
// optimise. The specification is extensible, so a segment that is not known
// here is kept and written back; a field that is not known within a known
// segment is a mistake, and the error names the file, the line, the field and
// what its writer probably meant.
//
// It is what libra submit --file and libra quote --file read, what the API takes
// as application/yaml, and, by way of the command, what libra simulate runs and
// --cluster describes. libra trace convert and libra nodes --cluster write it.
//
// The package decides nothing about a job and opens no files. What it accepts,
// [market.Job.Validate] accepts too. It reads strictly and within limits: one
// mebibyte, 32 levels, no aliases, no tags, no key twice.
//
// Read job.go first (what can be said of a job), then cluster.go. A table in
// each of them names the fields, and is what reading, writing and the
// suggestions in errors all go by; table.go explains it.
package spec
