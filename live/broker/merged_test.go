package broker

import (
	"errors"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// What a quote says of partition and QOS goes along when it is taken, and who names another then is refused: a
// cluster that was not asked for it would pass it over.
func TestAQuoteIsOfItsPartitionAndQOS(t *testing.T) {
	for name, c := range map[string]struct {
		quoted, given v1.Request
		wrong         string
	}{
		"neither":               {v1.Request{}, v1.Request{}, ""},
		"both, and none given":  {v1.Request{Partition: "fast", QOS: "high"}, v1.Request{}, ""},
		"both, and the same":    {v1.Request{Partition: "fast", QOS: "high"}, v1.Request{Partition: "fast", QOS: "HIGH"}, ""},
		"another partition":     {v1.Request{Partition: "fast"}, v1.Request{Partition: "slow"}, "partition"},
		"a partition for none":  {v1.Request{}, v1.Request{Partition: "slow"}, "partition"},
		"another QOS":           {v1.Request{QOS: "high"}, v1.Request{QOS: "low"}, "qos"},
		"a QOS where none was":  {v1.Request{}, v1.Request{QOS: "low"}, "qos"},
		"a QOS beside the same": {v1.Request{Partition: "fast"}, v1.Request{Partition: "fast", QOS: "low"}, "qos"},
	} {
		got, err := merged(c.quoted, &c.given)
		wrong, _ := errors.AsType[*trade.FieldError](err)
		if (err == nil) != (c.wrong == "") || wrong != nil && wrong.Field != c.wrong {
			t.Errorf("%s: %v, want %q", name, err, c.wrong)
		}
		if err == nil && (got.QOS != c.quoted.QOS || got.Partition != c.quoted.Partition) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
