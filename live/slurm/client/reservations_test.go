package client

import (
	"slices"
	"testing"
)

// What scontrol says of reservations, with times as seconds.
func TestReservations(t *testing.T) {
	got := readReservations(`ReservationName=works StartTime=1700000000 EndTime=1700003600 Duration=01:00:00 Nodes=n[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES TRES=cpu=8 Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a MaxStartDelay=(null)
ReservationName=licenses StartTime=1700000000 EndTime=1700003600 Nodes=(null) NodeCnt=0
ReservationName=odd StartTime=soon EndTime=1700003600 Nodes=n3
No reservations in the system
`)
	if len(got) != 1 || got[0].Name != "works" || got[0].From.Unix() != 1_700_000_000 || got[0].Till.Unix() != 1_700_003_600 || !slices.Equal(got[0].Nodes, []string{"n1", "n2"}) {
		t.Errorf("%+v", got)
	}
}
