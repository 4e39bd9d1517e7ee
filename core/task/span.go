package task

// Span is the indexes of an array that one task runs, by rule: the first, how far
// one is from the next, and how many. An array of a hundred thousand elements is
// as short as one of two.
type Span struct {
	First int `json:"first"`
	Step  int `json:"step"`
	Count int `json:"count"`
}

// Len is how many elements of an array the task runs; 0: it is none.
func (s *Spec) Len() int {
	if s.Span != nil {
		return max(0, s.Span.Count)
	}
	return len(s.Elements)
}

// Element is the index of one of them, from 0.
func (s *Spec) Element(i int) int {
	if s.Span != nil {
		return s.Span.First + i*s.Span.Step
	}
	return s.Elements[i]
}

// Listed is the same with every index written out, as the first version wants it.
func (s *Spec) Listed() Spec {
	out := *s
	if s.Span == nil {
		return out
	}
	out.Span, out.Elements = nil, make([]int, s.Len())
	for i := range out.Elements {
		out.Elements[i] = s.Element(i)
	}
	return out
}
