package trade

// A job has so many processors, and to the core each of them is one of its tasks.
// A program that has threads has several of them, all of one node, and is one task
// to that node: it gets the sum of their shares, and each of them has had its part
// of what the program had. Ranks are of programs; a job's processors stand in
// order, so those of a program follow each other.

// Programs is how many programs a job that has processors runs.
func (j *Job) Programs() int { return len(j.Places) / j.Request.PerProgram() }

// NodeOf is the node of one of them.
func (j *Job) NodeOf(program int) string { return j.Places[program*j.Request.PerProgram()].Node }

// PerProgram is how many processors each program of a request has.
func (r *Request) PerProgram() int { return max(1, r.Threads) }

// Procs is how many processors a request asks for: if it does not say, one program's.
func (r *Request) Procs() int {
	if r.Processors > 0 {
		return r.Processors
	}
	return r.PerProgram()
}
