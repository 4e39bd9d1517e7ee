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
ReservationName=odd StartTime=1700000000 EndTime=late Nodes=n3
ReservationName=odd StartTime=1700000000 EndTime=1700003600 Nodes=n[3-
ReservationName=odd StartTime=(null) EndTime=1700003600 Nodes=n3
ReservationName=odd StartTime=1700000000 EndTime=(null) Nodes=n3
ReservationName=(null) StartTime=1700000000 EndTime=1700003600 Nodes=n3
No reservations in the system
`)
	if len(got) != 2 || got[0].Name != "works" || got[0].From.Unix() != 1_700_000_000 || got[0].Till.Unix() != 1_700_003_600 || !slices.Equal(got[0].Nodes, []string{"n1", "n2"}) {
		t.Fatalf("%+v", got)
	}
	if w := got[0]; !slices.Equal(w.Flags, []string{"MAINT", "SPEC_NODES"}) || !slices.Equal(w.Users, []string{"root"}) || w.Accounts != nil || w.Groups+w.Partition != "" || w.CPUs != 8 || w.Partial {
		t.Errorf("%+v", w)
	}
	if l := got[1]; l.Name != "licenses" || len(l.Nodes) != 0 {
		t.Errorf("%+v", l)
	}
	// As 24.11 says that one is of some processors, and who may not.
	got = readReservations(`ReservationName=part StartTime=1700000000 EndTime=1700003600 Duration=00:10:00 Nodes=n2 NodeCnt=1 CoreCnt=1 Features=(null) PartitionName=libra Flags=SPEC_NODES,PURGE_COMP=00:05:00   NodeName=n2 CoreIDs=0 TRES=cpu=1 Users=-ann,-bob Groups=staff Accounts=physics Licenses=(null) State=ACTIVE BurstBuffer=(null) MaxStartDelay=(null)
`)
	if len(got) != 1 || !got[0].Partial || got[0].Partition != "libra" || got[0].Groups != "staff" || got[0].CPUs != 1 ||
		!slices.Equal(got[0].Flags, []string{"SPEC_NODES", "PURGE_COMP"}) || !slices.Equal(got[0].Users, []string{"-ann", "-bob"}) || !slices.Equal(got[0].Accounts, []string{"physics"}) {
		t.Errorf("%+v", got)
	}
}
