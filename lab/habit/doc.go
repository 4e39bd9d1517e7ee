// Package habit measures on a real log how good estimates are that are made of users'
// own history (core/estimate): how often they hold, and how much shorter they are than
// what the users asked for. It knows of a run only what was known when the next job
// came. Read habit.go.
package habit
