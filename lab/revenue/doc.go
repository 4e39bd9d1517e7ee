// Package revenue puts the provider's model of 004 (core/admission) to the test.
//
// [Engine] is the cluster of the paper's section VI, simulated job by job with
// bounded penalties (simulate.go); what happens at one instant, and in which
// order, is written down there. [Tune] looks for the admission probabilities
// that earn most in that cluster, which the model's are not (tune.go). [Draw]
// computes the paper's figures (figure.go), and [ReadModel] reads a model from a
// file of classes.
//
// The package opens no files and knows no clock. All chance comes from a seed,
// and no result depends on how many processors computed it.
//
// Read simulate.go first.
package revenue
