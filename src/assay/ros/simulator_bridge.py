"""The node `simulator_bridge`: hosts the agent of an exam and answers questions about it over services.

ros2 run robot_assay simulator_bridge --ros-args -p exam:=exam.yaml
"""

from __future__ import annotations

import sys
from contextlib import suppress

import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from assay.errors import AssayError
from assay.exam import build_agent, load_exam
from assay.ros.agent_services import AgentServices

NODE_NAME = "simulator_bridge"


class SimulatorBridge(Node):
    """Hosts one agent. Raises `AssayError` on construction when the exam is missing or wrong."""

    def __init__(self) -> None:
        super().__init__(NODE_NAME)
        self.declare_parameter(
            "exam",
            "",
            ParameterDescriptor(description="Path of the exam file whose agent is hosted.", read_only=True),
        )
        path = self.get_parameter("exam").get_parameter_value().string_value
        if not path:
            raise AssayError("the parameter 'exam' is not set; pass --ros-args -p exam:=PATH of an exam file")
        self.agent = build_agent(load_exam(path))
        self._agent_services = AgentServices(self, self.agent)
        description = self.agent.description
        self.get_logger().info(
            f"hosting {description.name}: {len(description.capabilities)} capabilities, "
            f"{len(description.predicates)} predicates, access {description.access.value}"
        )


def main(args: list[str] | None = None) -> int:
    """Run the node until it is told to stop; return the exit code."""
    node: SimulatorBridge | None = None
    try:
        rclpy.init(args=args)
        node = SimulatorBridge()
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except AssayError as error:
        print(f"{NODE_NAME}: {error}", file=sys.stderr)
        return 2
    except Exception:
        # Told to stop while the node was being made: rclpy's parts then fail each in their own way.
        if rclpy.ok():
            raise
    finally:
        if node is not None:
            node.agent.close()
            with suppress(InvalidHandle):
                node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
