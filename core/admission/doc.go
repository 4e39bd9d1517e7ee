// Package admission is the analytic model of 004 (Marbukh and Mills, On
// Maximizing Provider Revenue in Market-Based Compute Grids): which part of each
// class of jobs should a provider admit, and what does it earn?
//
// [Model] has classes of jobs, head-of-the-line priority and expected delays;
// [Model.Optimize] finds the admission probabilities with the largest revenue.
// That is arithmetic, without chance, clock or files, and the same model has the
// same answer to the last bit. It stands in the core because the policy
// hol-optimal is that answer (docs/decisions). The cluster that 004 simulates to
// check the model, and the search for better probabilities there, draw lots and
// are the laboratory's: lab/revenue.
//
// Read model.go first, then optimum.go.
package admission
