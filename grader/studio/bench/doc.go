// Package bench measures speed: the ladder of the matrix product, from the
// definition to the peak of the machine, and the kit against other libraries.
//
// Every number is a rate of one machine at one moment. What can be compared is
// what was measured in one run, in turns: first each of the peers for a moment,
// then each again, and so on, so that whatever disturbs the machine disturbs
// all of them. The figure of a peer is the median of its rounds, and the ratio
// of two peers is the median of the ratios of the rounds.
//
// A peer is a program that is kept running and asked over its standard input;
// see Peer. While one is measured the others are stopped, so that threads that
// wait in a loop for more work (OpenBLAS, OpenMP) take nothing from it.
package bench
