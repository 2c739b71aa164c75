"""Host the agent of an exam file: ros2 launch robot_assay agent.launch.py exam:=exam.yaml."""

from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Return the one node `simulator_bridge`."""
    exam = PathJoinSubstitution([FindPackageShare("robot_assay"), "config", "exams", "cafe_symbolic.yaml"])
    return LaunchDescription(
        [
            DeclareLaunchArgument("exam", default_value=exam, description="Exam file whose agent is hosted."),
            DeclareLaunchArgument("namespace", default_value="", description="Namespace of the node."),
            DeclareLaunchArgument("use_sim_time", default_value="false", description="Follow the /clock topic."),
            DeclareLaunchArgument(
                "log_level",
                default_value="info",
                choices=["debug", "info", "warn", "error", "fatal"],
                description="Least severe messages to show.",
            ),
            Node(
                package="robot_assay",
                executable="simulator_bridge",
                namespace=LaunchConfiguration("namespace"),
                parameters=[
                    {
                        "exam": ParameterValue(LaunchConfiguration("exam"), value_type=str),
                        "use_sim_time": ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool),
                    }
                ],
                arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
                output="screen",
            ),
        ]
    )
