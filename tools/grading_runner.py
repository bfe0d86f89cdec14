"""The program inside the jail: it runs one answer and writes its outputs, 8 bytes for each number, and nothing else.

`python grading_runner.py seconds megabytes folder...`, with the request pickled on standard input. An exit code of
FIRST or more says what went wrong. Whatever an answer does here, it can only change the bytes it is judged by.
"""

import os
import pickle
import resource
import sys

FIRST = 40
REASONS = (
    "write your answer into its cell",
    "the cell has a syntax error",
    "the cell stops with an error when it is run",
    "the cell does not define this function",
    "it gave something else than the number, or the array of numbers, that was asked for",
    "it used a name that is not defined in its cell or in the setup cell",
    "it raised a TypeError: does it take the arguments that the task says?",
    "it ran out of memory",
    "it raised an error",
)
NO_ANSWER, SYNTAX, CELL, MISSING, OUTPUT, NAME, TYPE, MEMORY, ERROR = range(FIRST, FIRST + len(REASONS))


def main():
    pipe = os.dup(1)
    os.dup2(2, 1)
    limit(int(sys.argv[1]), int(sys.argv[2]) * 2**20)
    sys.path[:0] = sys.argv[3:]
    request = pickle.load(sys.stdin.buffer)
    from dpbook.check import WrongOutput, collect

    codes = {
        NotImplementedError: NO_ANSWER, WrongOutput: OUTPUT, NameError: NAME, TypeError: TYPE, MemoryError: MEMORY,
    }  # fmt: skip
    namespace = {"__name__": "answer"}
    exec(request["setup"], namespace)
    try:
        program = compile(request["answer"], "answer", "exec")
    except (SyntaxError, ValueError):
        os._exit(SYNTAX)
    try:
        exec(program, namespace)
    except BaseException as error:
        os._exit(codes.get(type(error), CELL))
    if not callable(namespace.get(request["name"])):
        os._exit(MISSING)
    try:
        outputs = collect(namespace[request["name"]], *request["call"])
    except BaseException as error:
        os._exit(codes.get(type(error), ERROR))
    left = memoryview(outputs.tobytes())
    while left:
        left = left[os.write(pipe, left) :]
    os._exit(0)


def limit(seconds, size):
    """No more than so much time and memory, no further processes, no files written."""
    for what, most in (
        (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, size), (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NPROC, 0),
    ):  # fmt: skip
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
