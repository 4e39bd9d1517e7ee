package spec_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/libra-market/libra/live/spec"
)

func Example() {
	const text = `
details:
  name: hello
  runtime_estimate: 10m
qos:
  deadline: 3600
  bugdet: 25
`
	_, err := spec.ReadJob("hello.yaml", strings.NewReader(text))
	fmt.Println(err)

	job, err := spec.ReadJob("hello.yaml", strings.NewReader(strings.Replace(text, "bugdet", "budget", 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	j, err := job.Market()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(j.Estimate, j.SLA.Deadline, j.SLA.Budget)
	if err := job.Encode(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// hello.yaml:7: qos.bugdet: unknown field (did you mean budget?)
	// 600 3600 25
	// details:
	//   name: hello
	//   runtime_estimate: 10m
	// qos:
	//   deadline: 1h
	//   budget: 25
}
