#!/usr/bin/env bash
# Builds the package with colcon, as in any ROS 2 workspace, and runs the demo from what was built.
# Everything that it makes is below .venv/colcon. Usage: tools/colcon_build.sh [build|demo]; default: both.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
venv="$root/.venv"
work="$venv/colcon"
what="${1:-all}"
export PATH="$venv/bin:$PATH"
# The wheels' guard, if inherited: their libraries are put in order below.
unset _ROS_WHEELS_BOOTSTRAP_COMPLETE

site="$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
wheels=""
if [[ -d "$site/ros_wheels_bootstrapper" ]]; then
    wheels=1
    export AMENT_PREFIX_PATH="$venv" CMAKE_PREFIX_PATH="$venv"
fi

if [[ $what != demo ]]; then
    mkdir -p "$work"
    colcon --log-base "$work/log" build \
        --base-paths "$root" --build-base "$work/build" --install-base "$work/install" \
        --packages-select robot_assay \
        --cmake-args -DCMAKE_BUILD_TYPE=Release "-DPython3_EXECUTABLE=$venv/bin/python3"
fi

if [[ $what != build ]]; then
    set +u # the generated script reads variables that may not be set
    # shellcheck disable=SC1091
    source "$work/install/setup.bash"
    set -u
    if [[ -n $wheels ]]; then
        # The wheels would mix all library directories in no particular order, and .venv/lib has these interfaces too.
        for directory in "$venv/lib" "$site"/ros_*.libs; do
            LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$directory"
        done
        export LD_LIBRARY_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
    fi
    python3 - "$work/install" <<'PYTHON'
import sys
from pathlib import Path

import assay
import robot_assay.msg

robot_assay.msg.Atom.__class__.__import_type_support__()
used = {assay.__file__, robot_assay.__file__}
for line in Path("/proc/self/maps").read_text().splitlines():
    if "librobot_assay__" in line:
        used.add(line.split()[-1])
strangers = sorted(path for path in used if not path.startswith(sys.argv[1]))
if strangers:
    sys.exit("not from what colcon built: " + ", ".join(strangers))
PYTHON
    echo "assay and robot_assay come from what colcon built; running the demo"
    exec assay demo
fi
