"""What the Makefile, the tests and the benchmarks call: `book` builds and shows the book, `classroom` grades."""
