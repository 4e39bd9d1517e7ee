package exchange

// Again carries out a command of a log of form 1, which says what was asked and not
// what came of it. What that form's program took is taken, and a job has the number
// that the steps of the entry say: numbers that were used up by requests that failed
// are in no entry.
func (x *Exchange) Again(at int64, c Command, steps []Step) (Outcome, error) {
	for i := range steps {
		for k := range steps[i].In {
			if e := &steps[i].In[k]; e.Spec != nil {
				x.next = max(x.next, e.Job)
			}
		}
	}
	x.again = true
	defer func() { x.again = false }()
	return x.Do(at, c)
}

// validate says what is wrong with a request.
func (x *Exchange) validate(r *Request) error {
	if x.again {
		return r.asBefore().Validate()
	}
	return r.Validate()
}

// validateTerms is validate without the program.
func (x *Exchange) validateTerms(r *Request) error {
	if x.again {
		return r.asBefore().ValidateTerms()
	}
	return r.ValidateTerms()
}
