package underway

import (
	"cmp"
	"container/heap"
	"slices"
)

// Ready reports whether a job that was kept back waits for nothing more.
func (j *Job) Ready(now int64) bool { return len(j.Waits) == 0 && !j.OnHold && j.BeginUS <= now }

// NextBegin is when the next job may begin that waits for a time. It may wait no more.
func (b *Book) NextBegin() (at int64, some bool) {
	if len(b.begins) == 0 {
		return 0, false
	}
	return b.begins[0].at, true
}

// TakeBegins are the jobs that waited for a time which has come, or did, in the order of those times; each
// is said once. Who is looked at again is where it would have been at first: in what order is no matter of
// whether the market was restored in between.
func (b *Book) TakeBegins(by int64) []int64 {
	var come []begin
	for {
		at, some := b.NextBegin()
		if !some || at > by {
			break
		}
		id := heap.Pop(&b.begins).(begin).id
		if j := b.byID[id]; j != nil {
			come = append(come, begin{j.BeginUS, id})
		}
	}
	slices.SortFunc(come, func(a, b begin) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	ids := make([]int64, 0, len(come))
	for _, c := range slices.Compact(come) {
		ids = append(ids, c.id)
	}
	return ids
}

// LookAgain has those looked at who were kept out.
func (b *Book) LookAgain() {
	for id, out := range b.kept {
		if out {
			b.begins.push(b.byID[id].BeginUS, id)
			b.kept[id] = false
		}
	}
}

// begin is when a job may begin.
type begin struct{ at, id int64 }

// begins are in the order in which they come: a heap.
type begins []begin

func (h *begins) push(at, id int64) { heap.Push(h, begin{at, id}) }

func (h begins) Len() int { return len(h) }
func (h begins) Less(i, k int) bool {
	return h[i].at < h[k].at || h[i].at == h[k].at && h[i].id < h[k].id
}
func (h begins) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *begins) Push(v any)   { *h = append(*h, v.(begin)) }
func (h *begins) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
