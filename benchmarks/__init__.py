"""How fast the live figures and the mechanisms are, side by side with what users would pick instead: `make bench`.

Every table is measured in one run on one machine; read the ratios, not the times.
"""
