# The ROS 2 wheels on PyPI carry absolute include directories of the machine that built them (such as
# /opt/python/cp311-cp311/include/python3.11), and CMake refuses targets whose include directories do not exist.
# relocate_imported_targets() removes those directories from every imported target of the calling directory.
# On an ordinary ROS 2 installation all of them exist and nothing is changed.
function(relocate_imported_targets)
  get_directory_property(_targets IMPORTED_TARGETS)
  foreach(_target IN LISTS _targets)
    get_target_property(_directories ${_target} INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT _directories)
      continue()
    endif()
    set(_existing "")
    foreach(_directory IN LISTS _directories)
      # Generator expressions are not absolute paths and stay as they are.
      if(NOT IS_ABSOLUTE "${_directory}" OR EXISTS "${_directory}")
        list(APPEND _existing "${_directory}")
      endif()
    endforeach()
    if(NOT "${_existing}" STREQUAL "${_directories}")
      set_target_properties(${_target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_existing}")
    endif()
  endforeach()
endfunction()

# keep_source_tree_private(<target>) restricts include directories below the source directory to this build. CMake does
# not let an installed target export such directories, and numpy's headers are there when .venv is.
function(keep_source_tree_private target)
  get_target_property(_directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT _directories)
    return()
  endif()
  set(_exported "")
  foreach(_directory IN LISTS _directories)
    cmake_path(IS_PREFIX CMAKE_SOURCE_DIR "${_directory}" NORMALIZE _inside)
    if(_inside)
      list(APPEND _exported "$<BUILD_INTERFACE:${_directory}>")
    else()
      list(APPEND _exported "${_directory}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_exported}")
endfunction()
