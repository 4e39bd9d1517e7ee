package trade

// Called is what a job without a name is called.
func (r *Request) Called() string {
	if r.Script != "" {
		return "script"
	}
	name := r.Argv[0]
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			name = name[i+1:]
			break
		}
	}
	return name[:min(len(name), MaxName)]
}

// WithProgram is the request with some program, so that it can be numbered like any other.
func (r *Request) WithProgram() Request {
	t := *r
	if !t.HasProgram() {
		t.Argv = []string{"?"}
	}
	return t
}
