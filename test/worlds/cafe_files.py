"""The shipped cafes, for tests."""

from __future__ import annotations

from assay.resources import config_file
from assay.worlds.cafe.agent import CafeFiles

CAFE = CafeFiles(
    config_file("worlds/cafe.yaml"), config_file("vocabularies/cafe.yaml"), config_file("worlds/cafe_robot.yaml")
)
BISTRO = CafeFiles(config_file("worlds/bistro.yaml"), CAFE.vocabulary, CAFE.behaviour)
RELEASED = CafeFiles(
    config_file("worlds/cafe_small.yaml"),
    config_file("vocabularies/cafe_released.yaml"),
    config_file("worlds/cafe_released_robot.yaml"),
)
