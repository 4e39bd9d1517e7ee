package grid

import (
	"errors"
	"io"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/table"
)

// ReadSites reads a file of sites: site, processors and mips, in any order of
// columns. The order of the lines is the order in which ties between sites are
// broken. The file's name stands in errors, which are [*market.PlaceError].
func ReadSites(in io.Reader, file string) ([]Resource, error) {
	t, err := table.Open(in, file, []string{"site", "processors", "mips"}, nil)
	if err != nil {
		return nil, err
	}
	var sites []Resource
	for {
		if err = t.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		var r Resource
		if r.Name, err = t.Name("site"); err != nil {
			return nil, err
		}
		if r.Processors, err = t.Whole("processors"); err != nil {
			return nil, err
		}
		if r.MIPS, err = t.Number("mips"); err != nil {
			return nil, err
		}
		if err := r.Validate(); err != nil {
			return nil, t.Wrong("", err)
		}
		sites = append(sites, r)
	}
	if len(sites) == 0 {
		return nil, &market.PlaceError{File: file, Err: errors.New("no sites")}
	}
	return sites, nil
}
