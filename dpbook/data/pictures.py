"""A photograph, from the file that scikit-learn carries: what one may cluster and see.

Notebook: 10_clustering.
"""

import functools

import numpy as np

from dpbook.data.files import Dataset, package_file


@functools.cache
def photograph():
    """The summer palace in Beijing: a `Dataset` of 427 x 640 pixels with red, green and blue from 0 to 255.

    Nobody is a pixel: chapter 10 asks what a palette would tell if each pixel were a person. Read with Pillow, which
    matplotlib needs anyway; scikit-learn is not imported.
    Source: scikit-learn, datasets/images/china.jpg; by danielbuechele (flickr).
    """
    from PIL import Image  # only here: who looks at no picture needs no Pillow

    with Image.open(package_file("sklearn", "scikit-learn", "images", "china.jpg")) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    source = "photograph by danielbuechele (flickr); through sklearn.datasets, images/china.jpg"
    meaning = "rows, columns, and red, green and blue of each pixel"
    return Dataset("photograph", pixels, "0 to 255", (0, 255), source, "CC BY 2.0", False, meaning)
