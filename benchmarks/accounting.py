"""The accountants and the Gaussian mechanism against dp-accounting and autodp: `python -m benchmarks.accounting`.

These libraries are no part of the book's environment (their pinned versions would hold back the book's). The rows
against them run where they can be imported; else a line says plainly that they are missing. `--python PATH` names the
interpreter of an environment that has them: it then runs their rows, in a process of its own on the same machine.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

import numpy as np

from dpbook import accounting, gaussian

RUNS = 3


def ours():
    """Name of the row -> what the book computes."""
    rng, zeros, orders = np.random.default_rng(1), np.zeros(1_000_000, dtype=int), np.arange(2, 257)

    def sampled(step):
        return accounting.sampled_gaussian_losses(0.01, 1, 1, step).repeat(1_000).epsilon(1e-5)

    def moments():
        divergences = accounting.renyi_sampled_gaussian(0.01, 1, 1, orders)
        return accounting.renyi_epsilon(orders, 1_000 * divergences, 1e-5).epsilon

    return {
        "1,000 sampled Gaussians, step 1e-4": lambda: sampled(1e-4),
        "1,000 sampled Gaussians, step 1e-3": lambda: sampled(1e-3),
        "100 Gaussians of scale 30": lambda: accounting.gaussian_losses(1, 30, 1e-4).repeat(100).epsilon(1e-6),
        "100 Laplace at 0.1": lambda: accounting.laplace_losses(1, 10, 1e-4).repeat(100).epsilon(1e-6),
        "1,000 sampled Gaussians, moments": moments,
        "the least scale at (1, 1e-6)": lambda: gaussian.gaussian_scale(1, 1.0, 1e-6),
        "a million whole-number draws": lambda: gaussian.discrete_gaussian_mechanism(zeros, 1, 1.0, 1e-6, rng).size,
    }


# What the libraries are asked for, run by the interpreter that has them. Each row: its name, a setup, an expression.
THEIRS = [
    (
        "dp-accounting",
        "from dp_accounting.pld import privacy_loss_distribution as pld, common\n"
        "from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss\n"
        "from dp_accounting import rdp, dp_event\n"
        "def sampled(step):\n"
        "    one = pld.from_gaussian_mechanism(1.0, sampling_prob=0.01, value_discretization_interval=step)\n"
        "    return one.self_compose(1000).get_epsilon_for_delta(1e-5)\n"
        "def hundred(make, scale):\n"
        "    one = make(scale, value_discretization_interval=1e-4)\n"
        "    return one.self_compose(100).get_epsilon_for_delta(1e-6)\n"
        "def moments():\n"
        "    account = rdp.RdpAccountant(list(range(2, 257)))\n"
        "    step = dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0))\n"
        "    account.compose(dp_event.SelfComposedDpEvent(step, 1000))\n"
        "    return account.get_epsilon(1e-5)\n"
        "def scale():\n"
        "    wish = common.DifferentialPrivacyParameters(1.0, 1e-6)\n"
        "    return GaussianPrivacyLoss.from_privacy_guarantee(wish).standard_deviation\n",
        {
            "1,000 sampled Gaussians, step 1e-4": "sampled(1e-4)",
            "1,000 sampled Gaussians, step 1e-3": "sampled(1e-3)",
            "100 Gaussians of scale 30": "hundred(pld.from_gaussian_mechanism, 30.0)",
            "100 Laplace at 0.1": "hundred(pld.from_laplace_mechanism, 10.0)",
            "1,000 sampled Gaussians, moments": "moments()",
            "the least scale at (1, 1e-6)": "scale()",
        },
    ),
    (
        "autodp",
        "from autodp.calibrator_zoo import ana_gaussian_calibrator\n"
        "from autodp.mechanism_zoo import GaussianMechanism\n"
        "def scale():\n"
        "    return ana_gaussian_calibrator()(GaussianMechanism, 1.0, 1e-6).params['sigma']\n",
        {"the least scale at (1, 1e-6)": "scale()"},
    ),
]


def timed(work):
    """The median seconds of a few calls after one to warm up, and what the last one gave."""
    answer, seconds = work(), []
    for _ in range(RUNS):
        begun = time.perf_counter()
        answer = work()
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds), float(answer)


def their_times(python, setup, rows):
    """The same of a library, in an interpreter of its own; None where it does not run there."""
    program = (
        f"import json, statistics, time, warnings\nwarnings.simplefilter('ignore')\n{setup}\nfound = {{}}\n"
        f"for name, text in {rows!r}.items():\n"
        "    work = eval('lambda: ' + text)\n"
        "    answer, seconds = work(), []\n"
        f"    for _ in range({RUNS}):\n"
        "        begun = time.perf_counter(); answer = work(); seconds.append(time.perf_counter() - begun)\n"
        "    found[name] = [statistics.median(seconds), float(answer)]\n"
        "print(json.dumps(found))\n"
    )
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def line(wide, library, name, seconds, answer):
    """A row of a table whose first columns are so wide."""
    return f"{library:<{wide[0]}} {name:<{wide[1]}} {seconds * 1e3:9.2f} ms   {answer:.9g}"


def show_theirs(theirs, python, mine, wide, missing):
    """Print what libraries give, and how many times as long as ours they take; `missing` says why one does not run."""
    for library, setup, rows in theirs:
        found = their_times(python, setup, rows)
        if found is None:
            print(f"{library:<{wide[0]}} MISSING: {missing} {python.rsplit('/', 1)[-1]}; nothing to compare with")
            continue
        for name, timing in found.items():
            print(f"{line(wide, library, name, *timing)}   {timing[0] / mine[name][0]:.1f} x dpbook's time")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has dp-accounting and autodp")
    python = parser.parse_args().python
    mine, wide = {name: timed(work) for name, work in ours().items()}, (14, 36)
    for name, timing in mine.items():
        print(line(wide, "dpbook", name, *timing))
    show_theirs(THEIRS, python, mine, wide, "not installed for")


if __name__ == "__main__":
    main()
