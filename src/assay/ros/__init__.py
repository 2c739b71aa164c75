"""The ROS 2 side: nodes, and conversion between messages and logic. Nothing outside this package imports rclpy."""
