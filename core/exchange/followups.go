package exchange

// followUps is what follows from what the cluster said, once it has said all.
type followUps []func() error

func (f *followUps) add(next func() error) { *f = append(*f, next) }

// run does what follows, until nothing more does.
func (f *followUps) run() error {
	for len(*f) > 0 {
		next := (*f)[0]
		*f = (*f)[1:]
		if err := next(); err != nil {
			return err
		}
	}
	return nil
}
