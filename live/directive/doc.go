// Package directive reads what a job script says about itself: the comment
// lines at its head that start with #LIBRA, #SBATCH or #PBS.
//
// It decides what each of these lines means as a request to the market, so
// that scripts written for Slurm or PBS can be handed in as they are. #LIBRA
// lines beat the others, whatever their order. A line that it does not
// understand is a mistake and never passed over; one that means nothing to a
// market and does no harm is taken with a note. It opens no files, reads no
// clock and asks no market.
//
// Read head.go first, then libra.go (the words of #LIBRA lines, which are the
// flags of libra submit too).
package directive
