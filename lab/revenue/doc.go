// Package revenue is the model of provider revenue of paper 004 (Marbukh and
// Mills, On Maximizing Provider Revenue in Market-Based Compute Grids): which
// part of each class of jobs should a provider admit, and what does it earn?
//
// It answers three ways. [Model] is the paper's analytic model: classes of jobs,
// head-of-the-line priority, expected delays, and the admission probabilities
// that maximise the revenue (model.go, optimum.go). [Engine] is the cluster of
// the paper's section VI, simulated job by job with bounded penalties
// (simulate.go); what happens at one instant, and in which order, is written down
// there. [Tune] looks for the admission probabilities that earn most in that
// cluster, which the paper's are not (tune.go).
//
// The package opens no files and knows no clock. All chance comes from a seed,
// and no result depends on how many processors computed it.
//
// Read model.go first, then simulate.go.
package revenue
