package client

import (
	"encoding/json"
	"strings"
	"testing"
)

// Both ways to list nodes say what features are active, old and new; what the market has no
// word for is left out.
func TestListedNodesHaveFeatures(t *testing.T) {
	const line = "NodeName=n1 CPUTot=8 RealMemory=100 AvailableFeatures=fast,ib,off ActiveFeatures=%s State=IDLE Partitions=libra BootTime=77\n"
	const node = `{"nodes":[{"name":"n1","state":["IDLE"],"cpus":8,"real_memory":100,"partitions":["libra"],"active_features":%s}]}`
	for said, want := range map[string]string{"fast,ib": "fast,ib", "(null)": "", "a/b,fast,a:1": "fast", strings.Repeat("word,", 60) + "last": strings.TrimSuffix(strings.Repeat("word,", 51), ",")} {
		listed, err := readNodes(strings.ReplaceAll(line, "%s", said), "libra")
		if err != nil || len(listed) != 1 || listed[0].Features != want {
			t.Errorf("%q: %v, %+v", said, err, listed)
		}
		if said == "(null)" {
			said = ""
		}
		text, _ := json.Marshal(said)
		list, _ := json.Marshal(strings.Split(said, ","))
		for _, value := range []string{string(text), string(list)} {
			var answer nodesAnswer
			if err := json.Unmarshal([]byte(strings.ReplaceAll(node, "%s", value)), &answer); err != nil {
				t.Fatal(err)
			}
			told, err := answer.read("libra")
			if err != nil || len(told) != 1 || told[0].Features != want {
				t.Errorf("%s: %v, %+v", value, err, told)
			}
		}
	}
}
