"""What predicate evaluators see of a cafe: its floor plan as `WorldGeometry`."""

from __future__ import annotations

from assay.worlds.cafe.floor_plan import ROBOT, FloorPlan
from assay.worlds.geometry import Geometry, PlanarPose, Surface


def plan_geometry(plan: FloorPlan) -> Geometry:
    """Return the geometry of a floor plan. Things have their kind in the world file, and what they are for."""
    kinds = {name: (at.kind.value, "location") for name, at in plan.locations.items()}
    kinds.update((name, (item.kind.value, "item")) for name, item in plan.items.items())
    areas = {name: (surface.area, surface.height) for name, surface in plan.surfaces.items()}
    return Geometry(
        {**kinds, ROBOT: ("robot",)},
        {name: tuple(PlanarPose(*pose) for pose in at.docking) for name, at in plan.locations.items()},
        {
            name: Surface(area.x, area.y, area.yaw, area.length / 2, area.width / 2, height)
            for name, (area, height) in areas.items()
        },
        # The origin of an item's body is the middle of its underside.
        dict.fromkeys(plan.items, 0.0),
    )
