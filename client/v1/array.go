package v1

import (
	"slices"
	"strconv"
	"strings"
)

// Len counts the elements.
func (a *Array) Len() int {
	if len(a.List) > 0 || a.Last < a.First {
		return len(a.List)
	}
	return (a.Last-a.First)/max(1, a.Step) + 1
}

// Index is that of the element at a place, from 0.
func (a *Array) Index(place int) int {
	if len(a.List) > 0 {
		return a.List[place]
	}
	return a.First + place*max(1, a.Step)
}

// Equal compares two, which may be none.
func (a *Array) Equal(b *Array) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.First == b.First && a.Last == b.Last && a.Step == b.Step && a.Limit == b.Limit && a.Nodes == b.Nodes && slices.Equal(a.List, b.List)
}

// Indexes are those of its elements as people write them: 1-9:2, or 1,4,6.
func (a *Array) Indexes() string {
	if len(a.List) > 0 {
		words := make([]string, len(a.List))
		for i, index := range a.List {
			words[i] = strconv.Itoa(index)
		}
		return strings.Join(words, ",")
	}
	text := strconv.Itoa(a.First) + "-" + strconv.Itoa(a.Last)
	if a.Step > 1 {
		text += ":" + strconv.Itoa(a.Step)
	}
	return text
}
