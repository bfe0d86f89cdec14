"""Pictures that many chapters share: a house figure, and artists: outlines, lines, images, verdicts and the meter.

Knows matplotlib, no widgets and no pyplot. Every piece is made once and then changed in place (`set_...`), so that a
live figure can redraw only what moved.
"""

from dpbook.plots.figures import COLOURS, figure, legend_above, show, x_axis, y_axis
from dpbook.plots.images import maps, set_image, set_maps
from dpbook.plots.lines import curves, own_point, rival_dots, set_curves, set_own_point, set_rival_dots
from dpbook.plots.outlines import marked_range, set_steps, steps
from dpbook.plots.verdicts import meter, result_meter, set_meter, set_verdict_text, verdict_text
