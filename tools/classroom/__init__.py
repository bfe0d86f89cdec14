"""The classroom: assignments made from one source, graded in a jail, a course in nbgrader."""
