package market

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

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

// OfKind is how many of the GPUs of a node are of a kind; all of them where none is named.
// Where they are of several it names each with their number: a100:2,v100:1; what is left
// of all has no name.
func (n *Node) OfKind(kind string) int64 {
	switch {
	case kind == "" || kind == n.GPUKind:
		return int64(n.GPUs)
	case !n.Mixed():
		return 0
	}
	for part := range strings.SplitSeq(n.GPUKind, ",") {
		if name, many, err := ParseGPUs(part); err == nil && name == kind {
			return int64(many)
		}
	}
	return 0
}

// Mixed reports whether its GPUs are of several kinds.
func (n *Node) Mixed() bool { return strings.Contains(n.GPUKind, ":") }

// GPUPrice is what one GPU costs a second: that of the kind that is named, or what one costs
// of a kind that has no price of its own. Where none is named it may be any, and the dearest
// counts.
func (r *Rates) GPUPrice(kind string) Price {
	most := r.GPU
	if r.GPUKinds == "" {
		return most
	}
	for part := range strings.SplitSeq(r.GPUKinds, ",") {
		name, price, err := parseGPUPrice(part)
		switch {
		case err != nil:
		case name == kind:
			return price
		case kind == "":
			most = max(most, price)
		}
	}
	return most
}

func parseGPUPrice(text string) (kind string, price Price, err error) {
	kind, amount, _ := strings.Cut(text, ":")
	x, err := strconv.ParseFloat(amount, 64)
	if err != nil || kind == "" || !between(x, 0) {
		return "", 0, fmt.Errorf("prices of GPUs %q (want a kind and what one costs a second, of each: a100:0.5,v100:0.1)", text)
	}
	return kind, Price(x), nil
}

// checkGPUs finds what makes no sense about them.
func (n *Node) checkGPUs() error {
	if n.Base.GPUKinds != "" {
		for part := range strings.SplitSeq(n.Base.GPUKinds, ",") {
			if _, _, err := parseGPUPrice(part); err != nil {
				return err
			}
		}
	}
	if !n.Mixed() {
		return nil
	}
	sum := 0
	for part := range strings.SplitSeq(n.GPUKind, ",") {
		_, many, err := ParseGPUs(part)
		if err != nil || many == 0 {
			return fmt.Errorf("GPUs of kind %q (want a name, or of several kinds each with their number: a100:2,v100:1)", n.GPUKind)
		}
		sum += many
	}
	if sum > n.GPUs {
		return fmt.Errorf("%d GPUs, and of its kinds there are %d: %s", n.GPUs, sum, n.GPUKind)
	}
	return nil
}

// ProgramsOn is for how many programs of a job so many free GPUs of a node are enough.
func (n *Node) ProgramsOn(free int64, j *Job) int64 {
	return max(0, min(free, n.OfKind(j.GPUKind))) / int64(j.GPUs)
}

// ParseGPUs reads how many, and of which kind where one is named: "2", "a100:2".
func ParseGPUs(text string) (kind string, n int, err error) {
	number := text
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		kind, number = text[:at], text[at+1:]
	}
	n, err = strconv.Atoi(number)
	if err == nil && n > MaxGPUs || errors.Is(err, strconv.ErrRange) {
		return "", 0, fmt.Errorf("%q (want at most %s GPUs)", text, strconv.Itoa(MaxGPUs))
	}
	if err != nil || n < 0 || kind == "" && number != text || strings.Contains(kind, ":") {
		return "", 0, fmt.Errorf("%q (want a number of GPUs, or a kind and a number: 2, a100:2)", text)
	}
	if n == 0 {
		kind = ""
	}
	return kind, n, nil
}

// CountGPUs is a number of GPUs in words, of a kind where one is named: "1 a100 GPU".
func CountGPUs(kind string, n int) string {
	what := "GPUs"
	if n == 1 {
		what = "GPU"
	}
	return fmt.Sprintf("%d %s", n, strings.TrimSpace(kind+" "+what))
}

// GPUText is what ParseGPUs reads.
func GPUText(kind string, n int) string {
	if kind == "" {
		return strconv.Itoa(n)
	}
	return kind + ":" + strconv.Itoa(n)
}
