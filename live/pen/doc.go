// Package pen writes JSON as encoding/json does, byte by byte, for what a market writes
// most: entries of its log, rows of jobs, answers. Those are large structs of which most
// fields are empty, and looking at each by reflection is most of what it takes to write
// them. The code in generated.go is made of the types (go test ./live/pen -update), and
// held against encoding/json by a test; what is rare is left to encoding/json. Where a field
// is gone, its lines in generated.go go by hand first: the generator is compiled with them.
package pen
