// Package allowance is money that comes by itself: so much every so often, up to so
// much, for an account or for each account below one. A site on which nobody pays gives
// its users such an income, and what they do with it is their share.
//
// It goes by the clock of the market, which comes in with each command. What was due
// while the market was away is paid once it is back, up to the same bound: nobody could
// have spent it meanwhile.
package allowance
