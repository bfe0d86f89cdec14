"""Pictures side by side, in one look."""

import numpy as np


def maps(axes, titles=None, extent=None, xlabel=None, ylabel=None, **look):
    """Empty pictures side by side on `axes`, in one look and with one extent; returns the images, for `set_maps`.

    The first row is at the bottom and colours run from 0 to 1, dark to bright (`cividis`), unless `look` (keywords of
    `Axes.imshow`) says otherwise. `ylabel` stands left of the first only.
    """
    axes = np.ravel(axes)
    shared = {"origin": "lower", "cmap": "cividis", "aspect": "auto", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
    images = [ax.imshow(np.zeros((2, 2)), extent=extent, **shared | look) for ax in axes]
    for ax, title in zip(axes, titles or [None] * len(axes), strict=True):
        ax.set(xlim=extent[:2], ylim=extent[2:]) if extent else None
        ax.set_title(title or "")
        ax.set_xlabel(xlabel or "")
    axes[0].set_ylabel(ylabel or "")
    return images


def set_maps(images, *values):
    """Show these values in the images made by `maps`, one array each; what has not changed is not drawn again."""
    for image, one in zip(images, values, strict=True):
        set_image(image, one)


def set_image(image, values):
    """Show these values in an image; one that shows them already stays as it is, and need not be drawn again."""
    if not np.array_equal(image.get_array(), values):
        image.set_data(values)
