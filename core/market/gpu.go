package market

// MaxGPUs is how many GPUs a node can have, and a program can ask for.
const MaxGPUs = 1 << 15

// Programs is of how many programs a job is made: its threads are of one.
func (j *Job) Programs() int64 { return int64(j.Width / max(1, j.Threads)) }

// AllGPUs is how many GPUs all of its programs hold.
func (j *Job) AllGPUs() int64 { return int64(j.GPUs) * j.Programs() }

// ForGPUs is what the GPUs of a job cost for so long, where one costs so much a second.
func (j *Job) ForGPUs(rate Price, held Time) Price {
	return Price(float64(rate) * float64(j.AllGPUs()) * float64(held))
}

// ProgramsOn is for how many programs of a job so many free GPUs of a node are enough.
func (n *Node) ProgramsOn(free int64, j *Job) int64 {
	if j.GPUKind != "" && j.GPUKind != n.GPUKind {
		return 0
	}
	return free / int64(j.GPUs)
}
