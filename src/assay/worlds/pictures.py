"""Pictures of worlds in files: PNG pictures with a caption, and animated GIFs of what a robot does.

Pictures are arrays of red, green and blue (height x width x 3), as `WorldBackend.render` returns them. Writing them
needs Pillow, which the extra `cafe` installs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from assay.worlds.errors import PictureError

Pixels = npt.NDArray[np.uint8]
MAX_FRAMES = 300
"""A longer film is thinned out."""
FRAME_SECONDS = 0.08
_END_SECONDS = 1.5
_FONT_SIZE = 14
_STRIP = 24
_COLOURS = 128

World = TypeVar("World")


class Film(Generic[World]):
    """Watches a world and takes pictures while it changes; `frames` are never more than `MAX_FRAMES`.

    `take` returns a picture of the world as it is; call the film at every change.
    """

    def __init__(self, take: Callable[[World], Pixels], most: int = MAX_FRAMES) -> None:
        self.frames: list[Pixels] = []
        self._take = take
        self._most = most
        self._every = 1
        self._seen = 0

    def __call__(self, world: World) -> None:
        """Look at the world, which has just changed; not every look is kept."""
        self._seen += 1
        if (self._seen - 1) % self._every:
            return
        self.frames.append(self._take(world))
        if len(self.frames) >= self._most:
            self.frames = self.frames[::2]
            self._every *= 2


def beside(pictures: Sequence[Pixels]) -> Pixels:
    """Return pictures of the same height side by side."""
    return np.hstack(pictures)


def captioned(picture: Pixels, caption: str) -> Pixels:
    """Return the picture with a line of text below it. Raises `PictureError` without Pillow."""
    image, draw, font = _pillow("Image"), _pillow("ImageDraw"), _pillow("ImageFont")
    height, width = picture.shape[:2]
    whole = image.new("RGB", (width, height + _STRIP), "white")
    whole.paste(image.fromarray(picture), (0, 0))
    draw.Draw(whole).text((8, height + 3), caption, fill="black", font=font.load_default(_FONT_SIZE))
    return np.asarray(whole)


def write_png(path: Path, picture: Pixels) -> None:
    """Write one picture. Raises `PictureError` if that is not possible."""
    image = _pillow("Image").fromarray(picture)
    _write(path, lambda: image.save(path, format="PNG"))


def write_gif(path: Path, frames: Sequence[Pixels]) -> None:
    """Write an endless film whose last frame stays for a while. Raises `PictureError` if that is not possible."""
    if not frames:
        raise PictureError(f"{path}: nothing happened, so that there is no film to write")
    image = _pillow("Image")
    # One palette for all frames: colours do not flicker, and only what moves is written.
    samples = np.vstack([frames[0], frames[len(frames) // 2], frames[-1]])
    palette = image.fromarray(samples).quantize(_COLOURS)
    first, *others = (image.fromarray(frame).quantize(palette=palette, dither=0) for frame in frames)
    seconds = [FRAME_SECONDS] * len(others) + [_END_SECONDS]
    durations = [round(1000 * each) for each in seconds]
    _write(
        path,
        lambda: first.save(path, format="GIF", save_all=True, append_images=others, duration=durations, loop=0),
    )


def _pillow(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"PIL.{module}")
    except ImportError as error:
        raise PictureError(
            "pictures need Pillow, which is not installed; install the extra `cafe`: `pip install robot-assay[cafe]`"
        ) from error


def _write(path: Path, write: Callable[[], None]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write()
    except OSError as error:
        raise PictureError(f"{path}: cannot be written: {error.strerror or error}") from error
