//! Planners direct and astar: searches over a navigation map.
