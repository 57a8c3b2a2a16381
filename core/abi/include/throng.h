// The tables through which strategies in C and C++ meet Throng.
//
// Generated from core/abi by its test `header`: do not edit. Types have the prefix Throng, values
// of a field the prefix THRONG_ and that of their kind.
//
// Rules of the border
//
// - A library exports one data symbol, `SYMBOL`, of type `Plugin`. The host reads magic, size
//   and version before it calls any function of the library.
// - Every table begins with `size` (bytes, as its writer was compiled) and `version`. Tables only
//   grow at their end. A reader takes a larger table than it knows, and of a smaller one only
//   what is there.
// - All functions are `extern "C"`. Nothing may unwind through them, in either direction.
// - The host never frees what the library made and the other way round: a library's instances
//   and scratch go back to the library's own functions; bytes that grow (errors, saved state)
//   are written to a `Sink` of the host.
// - A library is never unloaded: what its data symbol and its descriptors point to lives as long
//   as the process. A pointer handed to a function as an argument is valid until that function
//   returns, and no longer, unless its documentation says otherwise.
// - Arrays are a pointer and a count; the pointer of an empty or absent array may be null or
//   dangling and is never read. Arrays are aligned for their type and never overlap if one of
//   them is written.
// - Texts are UTF-8 without a final zero.

#ifndef THRONG_H
#define THRONG_H

#include <stddef.h>
#include <stdint.h>

/* The first bytes of the data symbol. */
#define THRONG_MAGIC {84, 72, 82, 79, 78, 71, 26, 80}

/* A literal as ThrongBytes. */
#define THRONG_TEXT(literal) \
    {(const uint8_t *)(literal), sizeof(literal) - 1}

/* Makes the data symbol, a `const ThrongPlugin throng_plugin_v1`, visible to the host. */
#ifdef _WIN32
#define THRONG_EXPORT __declspec(dllexport)
#else
#define THRONG_EXPORT __attribute__((visibility("default")))
#endif


// Neighbours and walls are looked at on odd ticks only; on even ones their rows are empty.
#define THRONG_HABIT_ALTERNATES 1

// The step keeps those apart whom the model marks as pressed.
#define THRONG_HABIT_KEEPS_APART 2

// At its end.
#define THRONG_TRACE_END_REACHED 0

// At a standing wall.
#define THRONG_TRACE_END_WALL 1

// Neither: the line leaves the place it was meant for, or there was none to begin at.
#define THRONG_TRACE_END_LOST 2

// A solid polygon was added.
#define THRONG_CHANGE_ADD_SOLID 0

// A solid polygon was removed.
#define THRONG_CHANGE_REMOVE_SOLID 1

// Edges of the map; the target follows.
#define THRONG_ROUTE_KIND_EDGES 0

// Gates of its own; the target follows.
#define THRONG_ROUTE_KIND_GATES 1

// No route; `count` is 0 and `why` the reason.
#define THRONG_ROUTE_KIND_MISSING 2

// There is one.
#define THRONG_NO_ROUTE_FOUND 0

// The start hangs on no part of the map.
#define THRONG_NO_ROUTE_START_OFF_MAP 1

// The goal hangs on no part of the map.
#define THRONG_NO_ROUTE_GOAL_OFF_MAP 2

// Nothing connects the two.
#define THRONG_NO_ROUTE_UNCONNECTED 3

// Something connects them, but it is too narrow for this radius.
#define THRONG_NO_ROUTE_TOO_NARROW 4

// The search was given up at its limit.
#define THRONG_NO_ROUTE_LIMIT 5

// The strategy failed.
#define THRONG_NO_ROUTE_FAILED 6

// Version of the tables in this crate. It changes when a table changes other than at its end.
#define THRONG_ABI_VERSION 1

// Map: `Descriptor::table` is a `NavTable`.
#define THRONG_SLOT_NAV 0

// Planner: `Descriptor::table` is a `PlannerTable`.
#define THRONG_SLOT_PLANNER 1

// Cost model: `Descriptor::table` is a `CostTable`.
#define THRONG_SLOT_COST 2

// Local avoidance: `Descriptor::table` is an `AvoidanceTable`.
#define THRONG_SLOT_AVOIDANCE 3

// Level-of-detail policy: `Descriptor::table` is a `LodTable`.
#define THRONG_SLOT_LOD 4

// Group behaviour: `Descriptor::table` is a `GroupTable`.
#define THRONG_SLOT_GROUP 5

// A graph to search.
#define THRONG_CAPABILITY_GRAPH 1

// Regions, so that crowd cells need no size of their own.
#define THRONG_CAPABILITY_REGIONS 2

// Nodes dense enough to interpolate a field between them.
#define THRONG_CAPABILITY_DENSE 4

// A ground that is a floor plan with heights.
#define THRONG_CAPABILITY_PLAN_GROUND 8

// Routes for every agent.
#define THRONG_CAPABILITY_ROUTES 16

// Preferred velocities without a route.
#define THRONG_CAPABILITY_GUIDES 32

// Prices that depend on the direction of travel.
#define THRONG_CAPABILITY_DIRECTIONAL 64

// The crowd's density on crowd cells.
#define THRONG_CAPABILITY_DENSITY 128

// The crowd's velocity on crowd cells.
#define THRONG_CAPABILITY_FLOW 256

// Nodes and edges on the triangles of the ground.
#define THRONG_CAPABILITY_MESH 512

// The language has nothing that unwinds (C).
#define THRONG_UNWINDING_NONE 0

// Panics and exceptions unwind, and the library's functions catch them.
#define THRONG_UNWINDING_CAUGHT 1

// A panic ends the process: the host refuses such a library.
#define THRONG_UNWINDING_ABORTS 2

// Functions that do not change the instance run on many threads at once.
#define THRONG_THREADS_MANY 0

// The host makes one call of an instance at a time, on any thread.
#define THRONG_THREADS_ONE_AT_A_TIME 1

// How a function of a library ended: one of `status`.
typedef uint32_t ThrongStatus;

// Bytes that somebody else owns: a text, options, saved state.
typedef struct ThrongBytes {
  // The first byte; not read if `count` is 0.
  const uint8_t *data;
  // How many.
  size_t count;
} ThrongBytes;

// Callbacks of the host. **Owner:** the host; lives as long as the process. **Thread:** every
// function may be called from any thread at any time.
typedef struct ThrongHost {
  // Size of this table.
  uint32_t size;
  // `ABI_VERSION` of the host.
  uint32_t version;
  // The host's own; handed back to its functions.
  void *context;
  // Writes a line to the host's log. Levels: 1 error, 2 warning, 3 information, 4 debugging,
  // 5 trace. The host copies the text before it returns.
  void (*log)(void *context, uint32_t level, struct ThrongBytes text);
  // Not 0 if the run is being stopped: long work returns early, with
  // `status::ERROR`.
  uint32_t (*should_stop)(void *context);
  // The highest level of line that anybody reads now, 0 for none: lines above it may be left
  // unwritten.
  uint32_t (*log_level)(void *context);
} ThrongHost;

// Takes bytes that grow. **Owner:** the host. **Thread:** the one it was handed to, during that
// call only.
typedef struct ThrongSink {
  // The host's own; handed back to `append`.
  void *context;
  // Appends bytes; the host copies them before it returns.
  void (*append)(void *context, struct ThrongBytes bytes);
} ThrongSink;

// The surroundings of one call. **Owner:** the host, until the call returns. **Thread:** the
// calling one.
typedef struct ThrongCall {
  // Size of this table.
  uint32_t size;
  // `ABI_VERSION` of the host.
  uint32_t version;
  // The host's callbacks; may be kept, as they live as long as the process.
  const struct ThrongHost *host;
  // Where the text goes that says what went wrong.
  struct ThrongSink error;
} ThrongCall;

// What a strategy says of itself, and how instances are made. **Owner:** the library, for the
// life of the process.
//
// An instance is the library's own: the host passes its pointer back and never looks inside.
typedef struct ThrongDescriptor {
  // Size of this table.
  uint32_t size;
  // `ABI_VERSION` of the library.
  uint32_t version;
  // The slot it fills: one of `slot`.
  uint32_t slot;
  // On which threads its functions run: one of `threads`.
  uint32_t threads;
  // Its id: lower-case letters, digits and hyphens, a letter first.
  struct ThrongBytes id;
  // The strategy's own version, as "0.1.0".
  struct ThrongBytes strategy_version;
  // Where it comes from: the crate or project.
  struct ThrongBytes origin;
  // One line: what it is.
  struct ThrongBytes about;
  // When to choose it.
  struct ThrongBytes when;
  // When not to.
  struct ThrongBytes when_not;
  // How its time and memory grow.
  struct ThrongBytes growth;
  // The paper it follows, or nothing.
  struct ThrongBytes paper;
  // Its options as JSON Schema: an object whose `properties` have `type` (number, integer,
  // boolean or string), `description`, `default`, and where they apply `minimum`, `maximum`,
  // `enum` and `unit`.
  struct ThrongBytes options;
  // Capabilities it needs, bits of `capability`.
  uint64_t needs;
  // Capabilities it offers, bits of `capability`.
  uint64_t offers;
  // Makes an instance from options, a JSON object in UTF-8. Options that are absent take their
  // defaults. Writes the instance to `out` on success only. Any thread.
  ThrongStatus (*create)(const struct ThrongCall *call, struct ThrongBytes options, void **out);
  // Frees an instance; the last call with it. Any thread.
  void (*destroy)(void *instance);
  // Writes the options of an instance, all of them, as a JSON object. Any thread.
  ThrongStatus (*effective)(const struct ThrongCall *call,
                            const void *instance,
                            const struct ThrongSink *out);
  // The functions of the slot.
  const void *table;
} ThrongDescriptor;

// The data symbol. **Owner:** the library, for the life of the process. **Thread:** the host
// calls these functions on one thread, in the order of the fields.
typedef struct ThrongPlugin {
  // `MAGIC`.
  uint8_t magic[8];
  // Size of this table.
  uint32_t size;
  // `ABI_VERSION` of the library.
  uint32_t version;
  // What a panic does: one of `unwinding`.
  uint8_t unwinding;
  // Zero.
  uint8_t reserved[7];
  // Called before the others, once each time the library is asked for.
  ThrongStatus (*start)(const struct ThrongCall *call);
  // How many strategies there are.
  uint32_t (*count)(void);
  // The descriptor of a strategy, which lives as long as the process; null with the reason in
  // the error sink if there is none.
  const struct ThrongDescriptor *(*describe)(const struct ThrongCall *call, uint32_t index);
} ThrongPlugin;

// Three numbers in space, exact.
typedef struct ThrongDVec3 {
  // Along x.
  double x;
  // Along y.
  double y;
  // Along z.
  double z;
} ThrongDVec3;

// Three numbers in space.
typedef struct ThrongVec3 {
  // Along x.
  float x;
  // Along y.
  float y;
  // Along z.
  float z;
} ThrongVec3;

// A wall segment. The free side is on the left of `a` to `b`, seen from its triangle's normal.
typedef struct ThrongWall {
  // Where it begins.
  struct ThrongVec3 a;
  // Where it ends.
  struct ThrongVec3 b;
  // A triangle on its free side, at `a`.
  uint32_t triangle;
  // The wall that ends where this one begins, or 2^32 - 1.
  uint32_t previous;
  // The wall that begins where this one ends, or 2^32 - 1.
  uint32_t next;
  // The door that this is a leaf of: a wall only while the door is closed. 65535 for none.
  uint16_t door;
  // 1: the corner at `a` juts into the free space. 2: so does the one at `b`. 4: an obstacle
  // that maps ignore.
  uint16_t flags;
} ThrongWall;

// A uniform grid over space whose cells list things in compressed rows.
typedef struct ThrongCellIndex {
  // The low corner of cell (0, 0, 0).
  struct ThrongVec3 low;
  // The side of a cell, metres.
  float cell;
  // Cells along each axis.
  int32_t size[3];
  // Zero.
  uint32_t reserved;
  // Entries of `start`: one more than there are cells.
  size_t starts;
  // `start[c]..start[c + 1]` are the items of cell c = (z * size y + y) * size x + x.
  const uint32_t *start;
  // Entries of `item`.
  size_t items;
  // The things listed, ascending within a cell.
  const uint32_t *item;
} ThrongCellIndex;

// A place on the ground.
typedef struct ThrongLocation {
  // The point, in metres from the ground's origin.
  struct ThrongVec3 point;
  // The triangle that the point lies on; 2^32 - 1 for nowhere.
  uint32_t triangle;
} ThrongLocation;

// A straight piece of a walk, inside one triangle.
typedef struct ThrongTracePiece {
  // The triangle.
  uint32_t triangle;
  // Length of the piece, metres.
  float length;
  // Unit direction of walking.
  struct ThrongVec3 direction;
  // Where it begins.
  struct ThrongVec3 enter;
  // Where it ends.
  struct ThrongVec3 leave;
} ThrongTracePiece;

// Takes the pieces of a walk. **Owner:** whoever asks; used during that call only, on its thread.
typedef struct ThrongTraceSink {
  // The asker's own; handed back to `append`.
  void *context;
  // Appends pieces, which are copied before it returns. May be null.
  void (*append)(void *context, const struct ThrongTracePiece *piece, size_t count);
} ThrongTraceSink;

// How a straight walk ended.
typedef struct ThrongTraceEnd {
  // One of `trace_end`.
  uint32_t how;
  // The wall that was met, or 2^32 - 1.
  uint32_t wall;
  // Where it was met.
  struct ThrongLocation at;
} ThrongTraceEnd;

// The ground: a triangle mesh of the walkable surface. **Owner:** the host; frozen while the call
// runs. **Thread:** its functions may be called on any thread until the call returns; they
// answer an error for what is not of this ground, and never crash on it.
//
// All points are in metres from `origin`. Side i of a triangle runs from corner i to corner
// (i + 1) % 3; corners are counter-clockwise seen from the side that the normal points to.
typedef struct ThrongGround {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // The host's own.
  const void *context;
  // World coordinates of the local origin.
  struct ThrongDVec3 origin;
  // How many corner points.
  size_t vertices;
  // Corner points.
  const struct ThrongVec3 *vertex;
  // The same before they were rounded; null where rounding changed nothing.
  const struct ThrongDVec3 *exact;
  // How many triangles.
  size_t triangles;
  // Corners of each triangle.
  const uint32_t (*corner)[3];
  // What lies across each side, as `triangle * 3 + side`, or 2^32 - 1 at a wall.
  const uint32_t (*across)[3];
  // Unit normal of each triangle.
  const struct ThrongVec3 *normal;
  // Area of each triangle, square metres.
  const float *area;
  // Floor of each triangle; connections follow the floors.
  const uint16_t *floor;
  // Factor on walking speed on each triangle, above 0 and at most 1.
  const float *speed;
  // The door in each side, or 65535.
  const uint16_t (*side_door)[3];
  // The wall at each side, or 2^32 - 1.
  const uint32_t (*side_wall)[3];
  // How many doors.
  size_t doors;
  // 1 where the door is open. A closed door is a wall.
  const uint8_t *door_open;
  // How many walls.
  size_t walls;
  // Every wall segment, door leaves and obstacles included.
  const struct ThrongWall *wall;
  // Where the triangles are.
  struct ThrongCellIndex triangle_index;
  // Where the walls are.
  struct ThrongCellIndex wall_index;
  // How many cells `wall_rings` speaks of.
  size_t ringed;
  // For each cell of `wall_index`, how many rings of cells away the nearest wall is, at most
  // 255.
  const uint8_t *wall_rings;
  // The length below which places are not told apart.
  float grain;
  // How many floors; higher indices are connections.
  uint32_t floor_count;
  // Not 0 if all normals are +z at one height: frames are the world's x and y.
  uint32_t flat;
  // Not 0 if the ground is a floor plan with heights.
  uint32_t plan;
  // The place on the ground nearest to each of `count` points; nowhere if that is not finite.
  ThrongStatus (*locate)(const struct ThrongGround *ground,
                         const struct ThrongVec3 *point,
                         size_t count,
                         struct ThrongLocation *out);
  // Whether a disc of this radius can make each of `count` straight walks: writes 1 or 0.
  ThrongStatus (*sees)(const struct ThrongGround *ground,
                       const struct ThrongLocation *from,
                       const struct ThrongLocation *to,
                       size_t count,
                       float radius,
                       uint8_t *out);
  // Walks straight from one place towards another, as a point. `pieces` may be null.
  ThrongStatus (*trace)(const struct ThrongGround *ground,
                        struct ThrongLocation from,
                        struct ThrongLocation to,
                        const struct ThrongTraceSink *pieces,
                        struct ThrongTraceEnd *out);
  // Distance of each of `count` places to the nearest standing wall that maps know of, at most
  // `reach`.
  ThrongStatus (*clearance)(const struct ThrongGround *ground,
                            const struct ThrongLocation *at,
                            size_t count,
                            float reach,
                            float *out);
} ThrongGround;

// Two numbers in an agent's tangent plane, or of a cell's axes.
typedef struct ThrongVec2 {
  // Along x.
  float x;
  // Along y.
  float y;
} ThrongVec2;

// The cells of an input file that is a grid itself. **Owner:** the host.
typedef struct ThrongFileCells {
  // Low corner of cell (0, 0), local plan coordinates.
  struct ThrongVec2 low;
  // Side of a cell, metres.
  float cell;
  // Cells along x.
  uint32_t width;
  // Cells along y.
  uint32_t height;
  // Zero.
  uint32_t reserved;
  // Entries of `walkable`.
  size_t cells;
  // 1 where walkable, row by row along y.
  const uint8_t *walkable;
} ThrongFileCells;

// What a map is drawn over. **Owner:** the host; frozen while the call runs.
typedef struct ThrongSite {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Seed of the run, for maps that draw lots.
  uint64_t seed;
  // The ground.
  const struct ThrongGround *ground;
  // The file's own cells; null unless it is a grid.
  const struct ThrongFileCells *file_cells;
} ThrongSite;

// A segment that an agent passes, in its direction of travel. A waypoint has no width.
typedef struct ThrongGate {
  // Left end.
  struct ThrongVec3 left;
  // The point in between that a lone walker would aim for.
  struct ThrongVec3 middle;
  // Right end.
  struct ThrongVec3 right;
  // The triangle under `middle`.
  uint32_t triangle;
  // 1: the left end is a wall. 2: the right end is one. Only wall ends shrink by the radius.
  uint32_t flags;
} ThrongGate;

// A stretch of an edge within one crowd cell.
typedef struct ThrongEdgePiece {
  // The crowd cell.
  uint32_t cell;
  // Metres walked in it.
  float length;
  // Direction of travel in the cell's frame, as an angle in 1/65536 turns.
  uint16_t angle;
} ThrongEdgePiece;

// Takes a map as it is drawn. **Owner:** the host. **Thread:** the one it was handed to, during
// that call only.
//
// Every function appends and may be called as often as wanted, with as many entries as wanted;
// the host copies them before it returns. They answer an error for what cannot be part of a map
// (too much of it, edges out of order); the library then returns with an error too.
typedef struct ThrongMapSink {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // The host's own; handed back to its functions.
  void *context;
  // Appends nodes: their places and regions, or none.
  ThrongStatus (*nodes)(void *context,
                        size_t count,
                        const struct ThrongLocation *place,
                        const uint32_t *region);
  // Appends directed edges, in ascending order of `from`. `twin` is the edge the other way, or
  // none; `door` is null if none of them passes a door.
  ThrongStatus (*edges)(void *context,
                        size_t count,
                        const uint32_t *from,
                        const uint32_t *to,
                        const uint32_t *twin,
                        const float *length,
                        const float *clearance,
                        const uint16_t *door);
  // Appends the gates of the next `edges` edges, `count` of each. If it is ever called, it is
  // called for all edges.
  ThrongStatus (*gates)(void *context,
                        size_t edges,
                        const uint32_t *count,
                        const struct ThrongGate *gate);
  // Appends the crowd-cell pieces of the next `edges` edges. If it is ever called, it is called
  // for all edges.
  ThrongStatus (*pieces)(void *context,
                         size_t edges,
                         const uint32_t *count,
                         const struct ThrongEdgePiece *piece);
  // Appends regions: their areas and a place inside each.
  ThrongStatus (*regions)(void *context,
                          size_t count,
                          const float *area,
                          const struct ThrongLocation *place);
  // Appends the outlines of the next `regions` regions. If it is ever called, it is called for
  // all regions.
  ThrongStatus (*rings)(void *context,
                        size_t regions,
                        const uint32_t *count,
                        const struct ThrongVec3 *point);
  // Says the mean spacing of nodes of a map that is dense enough to interpolate a field.
  ThrongStatus (*dense)(void *context, float spacing);
  // Says where old ids went, or none: for `edit` alone, all old edges and all old regions.
  ThrongStatus (*remap)(void *context,
                        size_t edges,
                        const uint32_t *edge,
                        size_t regions,
                        const uint32_t *region);
} ThrongMapSink;

// A navigation map: a graph in compressed rows with gates and regions. **Owner:** the host; frozen
// while the call runs. "None" is 2^32 - 1 for every index.
typedef struct ThrongMap {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // How many nodes.
  size_t nodes;
  // Place of each node.
  const struct ThrongLocation *node_place;
  // Region of each node, or none.
  const uint32_t *node_region;
  // `edge_start[n]..edge_start[n + 1]` are the edges that leave node n: `nodes + 1` entries.
  const uint32_t *edge_start;
  // How many directed edges.
  size_t edges;
  // Node where each edge begins.
  const uint32_t *edge_from;
  // Node where each edge ends.
  const uint32_t *edge_to;
  // The edge the other way, or none.
  const uint32_t *edge_twin;
  // Metres.
  const float *edge_length;
  // Least distance to a real wall along the edge, metres.
  const float *edge_clearance;
  // The door that an edge passes, or 65535; null if no edge does.
  const uint16_t *edge_door;
  // `gate_start[e]..gate_start[e + 1]` are the gates of edge e; null if the map makes them
  // otherwise.
  const uint32_t *gate_start;
  // How many gates.
  size_t gates;
  // Gates, in the direction of travel.
  const struct ThrongGate *gate;
  // `piece_start[e]..piece_start[e + 1]` are the crowd-cell pieces of edge e; null if half of
  // an edge lies in the region of each of its ends.
  const uint32_t *piece_start;
  // How many pieces.
  size_t pieces;
  // Pieces of edges.
  const struct ThrongEdgePiece *piece;
  // How many regions.
  size_t regions;
  // Area of each region, square metres.
  const float *region_area;
  // A place inside each region.
  const struct ThrongLocation *region_place;
  // `region_ring_start[r]..region_ring_start[r + 1]` are the outline points of region r; null
  // if the map draws its regions otherwise.
  const uint32_t *region_ring_start;
  // How many outline points.
  size_t ring_points;
  // Outline points.
  const struct ThrongVec3 *region_ring;
  // Mean spacing of nodes where the map is dense enough to interpolate a field, else 0.
  float dense_spacing;
  // Grows by one with every edit.
  uint32_t revision;
} ThrongMap;

// Where a place hangs on the graph of a map.
typedef struct ThrongAttachment {
  // The node to go through, or 2^32 - 1 if none can be reached. Of an edge it is the wider end.
  uint32_t node;
  // The edge that the place hangs on, or 2^32 - 1 if it hangs on `node` alone.
  uint32_t edge;
  // How far along `edge`, from 0 to 1.
  float along;
  // Metres from the place to the graph.
  float distance;
} ThrongAttachment;

// Takes gates. **Owner:** whoever asks for them; used during that call only, on its thread.
typedef struct ThrongGateSink {
  // The asker's own; handed back to `append`.
  void *context;
  // Appends gates, which are copied before it returns.
  void (*append)(void *context, const struct ThrongGate *gate, size_t count);
} ThrongGateSink;

// A disc in plan within which a walker stays in its region.
typedef struct ThrongRoom {
  // Its centre.
  struct ThrongVec2 centre;
  // Its radius, metres; 0 where nothing is known.
  float radius;
} ThrongRoom;

// Takes points. **Owner:** whoever asks for them; used during that call only, on its thread.
typedef struct ThrongPointSink {
  // The asker's own; handed back to `append`.
  void *context;
  // Appends points, which are copied before it returns.
  void (*append)(void *context, const struct ThrongVec3 *point, size_t count);
} ThrongPointSink;

// A change to the environment that a map may take without a rebuild. **Owner:** the host.
typedef struct ThrongChange {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // One of `change`.
  uint32_t kind;
  // The floor.
  uint32_t floor;
  // How many points the polygon has.
  size_t points;
  // The polygon, local plan coordinates.
  const struct ThrongVec2 *ring;
} ThrongChange;

// Takes figures by name. **Owner:** the host. **Thread:** the one it was handed to, during that
// call only.
typedef struct ThrongMeasureSink {
  // The host's own; handed back to `append`.
  void *context;
  // Appends a figure; the host copies its name before it returns.
  void (*append)(void *context, struct ThrongBytes name, double value);
} ThrongMeasureSink;

// The functions of a map. **Thread:** `build` and `edit` run alone; the others run on many
// threads at once unless the descriptor says otherwise.
//
// `map` is what the instance last drew, as the host holds it. Answers depend on the arguments
// alone; a hint may change the time taken, never the answer.
typedef struct ThrongNavTable {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Draws the map into the sink; what looking up needs is kept in the instance. Answers
  // unsuitable, with the reason, where the ground does not do.
  ThrongStatus (*build)(const struct ThrongCall *call,
                        void *instance,
                        const struct ThrongSite *site,
                        const struct ThrongMapSink *out);
  // Where each of `count` places hangs on the graph: every one must be written. `hint` are
  // regions where each was last seen, or none.
  ThrongStatus (*attach)(const struct ThrongCall *call,
                         const void *instance,
                         const struct ThrongSite *site,
                         const struct ThrongMap *map,
                         const struct ThrongLocation *place,
                         const uint32_t *hint,
                         size_t count,
                         struct ThrongAttachment *out);
  // The region of each of `count` places, the nearest one off the map's coverage: every one must
  // be written.
  ThrongStatus (*region_of)(const struct ThrongCall *call,
                            const void *instance,
                            const struct ThrongSite *site,
                            const struct ThrongMap *map,
                            const struct ThrongLocation *place,
                            const uint32_t *hint,
                            size_t count,
                            uint32_t *out);
  // Appends the gates of consecutive edges of a route. Called only where the map was drawn
  // without gates; null if they are waypoints at the ends of its edges.
  ThrongStatus (*emit_gates)(const struct ThrongCall *call,
                             const void *instance,
                             const struct ThrongSite *site,
                             const struct ThrongMap *map,
                             const uint32_t *edge,
                             size_t count,
                             const struct ThrongGateSink *out);
  // For each of `count` places, which lies in the region given with it, a disc in plan: as long
  // as who stands there walks within it, it is in that region still. `way` is where each walks,
  // of any length. Answers unsupported if it knows of none. May be null.
  ThrongStatus (*room_in)(const struct ThrongCall *call,
                          const void *instance,
                          const struct ThrongMap *map,
                          const struct ThrongLocation *place,
                          const struct ThrongVec2 *way,
                          const uint32_t *region,
                          size_t count,
                          struct ThrongRoom *out);
  // The gate across an edge after a share of its length, in its direction of travel. Answers
  // unsupported if edges have no width. May be null.
  ThrongStatus (*gate_at)(const struct ThrongCall *call,
                          const void *instance,
                          const struct ThrongSite *site,
                          const struct ThrongMap *map,
                          uint32_t edge,
                          float along,
                          struct ThrongGate *out);
  // Appends the points of an edge's line between its two nodes, so that straight pieces stay
  // within `tolerance` metres of it. Null if they are the middles of its gates.
  ThrongStatus (*edge_line)(const struct ThrongCall *call,
                            const void *instance,
                            const struct ThrongSite *site,
                            const struct ThrongMap *map,
                            uint32_t edge,
                            float tolerance,
                            const struct ThrongPointSink *out);
  // Takes a change without a rebuild: draws the whole new map into the sink, with `remap`.
  // Answers unsupported if it cannot. May be null.
  ThrongStatus (*edit)(const struct ThrongCall *call,
                       void *instance,
                       const struct ThrongSite *site,
                       const struct ThrongChange *change,
                       const struct ThrongMapSink *out);
  // Gives figures of this kind of map by name. May be null.
  ThrongStatus (*measures)(const struct ThrongCall *call,
                           const void *instance,
                           const struct ThrongSite *site,
                           const struct ThrongMeasureSink *out);
  // Bytes that the instance holds. May be null.
  size_t (*bytes)(const void *instance);
} ThrongNavTable;

// What an instance asks for. **Owner:** the host; the library fills it.
typedef struct ThrongPlannerProfile {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Not 0 if `guide` answers; otherwise agents follow their routes.
  uint32_t guides;
  // How many columns of numbers `guide` keeps per agent.
  uint32_t scalar_count;
  // How many columns of tangent vectors.
  uint32_t tangent_count;
  // How many columns of places.
  uint32_t location_count;
  // Names of the columns: scalars, tangents, then locations. The array and the texts are the
  // library's and live as long as the instance.
  const struct ThrongBytes *names;
} ThrongPlannerProfile;

// The crowd on crowd cells. **Owner:** the host; frozen while the call runs.
//
// Columns have `cells` entries, or are null if nobody needs them.
typedef struct ThrongCrowd {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // How many cells.
  size_t cells;
  // Area of each cell, square metres.
  const float *area;
  // The x axis of each cell; null for the world's x.
  const struct ThrongVec3 *axis;
  // Area of the discs whose centre is in the cell, in 1/2^20 square metres.
  const int64_t *occupied;
  // How many persons.
  const int32_t *persons;
  // Sum of area times velocity along the cell's x, in 1/2^32 m2 m/s.
  const int64_t *momentum_x;
  // The same along the cell's y.
  const int64_t *momentum_y;
} ThrongCrowd;

// The tangent frame of an agent: its x axis and the side of the surface that it walks on. Its y
// axis is `handedness` times the triangle's normal, cross x.
typedef struct ThrongFrame {
  // Unit tangent, the x axis.
  struct ThrongVec3 x;
  // 1 on the side that the triangle's normal points to, -1 on the other.
  float handedness;
} ThrongFrame;

// The agents as columns, as of the last commit. **Owner:** the host; frozen while the call runs.
// Columns have `agents` entries or are null.
typedef struct ThrongAgents {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // How many agents.
  size_t agents;
  // Stable ids.
  const uint64_t *id;
  // Places.
  const struct ThrongLocation *location;
  // Frames; null on a flat ground, where all are the world's x and y.
  const struct ThrongFrame *frame;
  // Velocities, each in its agent's frame, like all vectors of agents.
  const struct ThrongVec2 *velocity;
  // Unit directions faced.
  const struct ThrongVec2 *heading;
  // Preferred velocities of the last guiding.
  const struct ThrongVec2 *preferred;
  // Radii, metres.
  const float *radius;
  // Desired speeds, metres per second.
  const float *speed;
  // Masses, kilograms.
  const float *mass;
  // Lanes: the offset from -1 to 1 across a corridor.
  const float *lane;
  // Weights of the crowd part of prices.
  const float *weight;
  // Route classes.
  const uint32_t *route_class;
  // Goals, or none (2^32 - 1) for a place of one's own.
  const uint32_t *goal;
  // The place each walks to.
  const struct ThrongLocation *target;
  // Regions of the map.
  const uint32_t *region;
  // Tiers.
  const uint8_t *tier;
  // Groups, or none.
  const uint32_t *group;
} ThrongAgents;

// Prices of a cost model and a class, per crowd cell and per edge. A search adds base + w * crowd.
//
// Index of an entry of a cell: `(slice * cells + cell) * directions + direction`.
typedef struct ThrongPriceView {
  // 1, or 8 if prices depend on the direction.
  uint32_t directions;
  // How many time slices.
  uint32_t slices;
  // Length of a slice, seconds.
  float slice_seconds;
  // The least base price of any cell and direction.
  float least_base;
  // Not 0 if `uniform` is the whole price; there are no entries then.
  uint32_t is_uniform;
  // The base price everywhere.
  float uniform;
  // Entries of `base` and `crowd`.
  size_t entries;
  // Base part.
  const float *base;
  // Crowd part.
  const float *crowd;
  // Words of `blocked`: 0, or one bit for each cell.
  size_t blocked_words;
  // Cells that nobody may enter.
  const uint64_t *blocked;
  // Entries of `edge_base` and `edge_crowd`: the map's edges, or 0 for uniform prices.
  size_t edges;
  // Base part of each whole edge.
  const float *edge_base;
  // Crowd part of each whole edge.
  const float *edge_crowd;
} ThrongPriceView;

// Agents that share prices.
typedef struct ThrongRouteClass {
  // Index of the profile.
  uint32_t profile;
  // Desired speed, metres per second.
  float speed;
  // Weight of the crowd part of a price.
  float weight;
  // Radius that must fit, metres.
  float radius;
} ThrongRouteClass;

// A goal that several agents share.
typedef struct ThrongGoal {
  // A place in it.
  struct ThrongLocation anchor;
  // First of its nodes in `World::goal_node`.
  uint32_t first_node;
  // How many nodes lie in it.
  uint32_t nodes;
} ThrongGoal;

// A region of interest.
typedef struct ThrongInterest {
  // Its centre.
  struct ThrongVec3 at;
  // Its radius, metres.
  float radius;
  // The level it asks for.
  uint32_t level;
} ThrongInterest;

// A mover: a vehicle on a track, which avoids nobody.
typedef struct ThrongMover {
  // Its place.
  struct ThrongVec3 at;
  // Its velocity in world directions, metres per second.
  struct ThrongVec3 velocity;
  // Its radius, metres.
  float radius;
  // How uncomfortable the ground ahead of it is, as a price per metre.
  float discomfort;
} ThrongMover;

// A camera that watches the crowd: what it sees of the ground in plan.
typedef struct ThrongCamera {
  // Where it is.
  struct ThrongVec3 at;
  // Unit direction that it looks in, in plan.
  struct ThrongVec2 direction;
  // Cosine of half the angle that it sees.
  float half_angle_cosine;
  // How far it sees, metres.
  float far;
} ThrongCamera;

// The price of a straight walk.
typedef struct ThrongSegmentPrice {
  // Base part.
  float base;
  // Crowd part.
  float crowd;
  // Metres walked.
  float length;
} ThrongSegmentPrice;

// Everything frozen that a planner, a policy or a group may read. **Owner:** the host; frozen
// while the call runs. **Thread:** its functions may be called on any thread until the call
// returns; they answer an error for what is not of this world, and never crash on it.
typedef struct ThrongWorld {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // The host's own.
  const void *context;
  // Seconds since the start.
  double time;
  // Steps since the start.
  uint64_t step;
  // Seed of the run.
  uint64_t seed;
  // Grows with every new set of prices.
  uint64_t epoch;
  // Changes with the map: while it is the same for an instance, so is everything in `map`.
  uint64_t map_stamp;
  // Changes with the prices: while it is the same for an instance, so is all of `price`.
  uint64_t price_stamp;
  // The time step, seconds.
  float dt;
  // Zero.
  uint32_t reserved;
  // The ground and what came with it.
  const struct ThrongSite *site;
  // The map.
  const struct ThrongMap *map;
  // The crowd on crowd cells.
  const struct ThrongCrowd *crowd;
  // The agents.
  const struct ThrongAgents *agents;
  // How many tables of prices.
  size_t prices;
  // Prices, one table per cost model and class in use.
  const struct ThrongPriceView *price;
  // How many route classes.
  size_t classes;
  // Route classes.
  const struct ThrongRouteClass *route_class;
  // How many shared goals.
  size_t goals;
  // Shared goals.
  const struct ThrongGoal *goal;
  // How many nodes of goals.
  size_t goal_nodes;
  // Nodes of the goals.
  const uint32_t *goal_node;
  // How many edges in all routes.
  size_t route_edges;
  // Edges of all routes.
  const uint32_t *route_edge;
  // How many agents have a row in the three columns below.
  size_t routes;
  // First remaining edge of each agent's route in `route_edge`.
  const uint32_t *route_first;
  // Remaining edges of each agent's route.
  const uint32_t *route_count;
  // Edges at the end of each route that lay beyond the horizon when it was planned.
  const uint32_t *route_invisible;
  // How many tiers.
  size_t tiers;
  // The level of detail that each tier is for.
  const uint8_t *tier_level;
  // How many regions of interest.
  size_t interests;
  // Regions of interest.
  const struct ThrongInterest *interest;
  // How many movers.
  size_t movers;
  // Movers.
  const struct ThrongMover *mover;
  // The camera, or null.
  const struct ThrongCamera *camera;
  // Where each of `count` places hangs on the map. `hint` are regions where each was last seen,
  // or none.
  ThrongStatus (*attach)(const struct ThrongWorld *world,
                         const struct ThrongLocation *place,
                         const uint32_t *hint,
                         size_t count,
                         struct ThrongAttachment *out);
  // The region of each of `count` places.
  ThrongStatus (*region_of)(const struct ThrongWorld *world,
                            const struct ThrongLocation *place,
                            const uint32_t *hint,
                            size_t count,
                            uint32_t *out);
  // Gives the gates of consecutive edges of a route to `out`, which is the library's.
  ThrongStatus (*gates)(const struct ThrongWorld *world,
                        const uint32_t *edge,
                        size_t count,
                        const struct ThrongGateSink *out);
  // The gate across an edge after a share of its length, in its direction of travel; answers
  // unsupported on maps whose edges have no width.
  ThrongStatus (*gate_at)(const struct ThrongWorld *world,
                          uint32_t edge,
                          float along,
                          struct ThrongGate *out);
  // Gives the points of an edge's line between its two nodes to `out`, which is the library's,
  // so that straight pieces stay within `tolerance` metres of it.
  ThrongStatus (*edge_line)(const struct ThrongWorld *world,
                            uint32_t edge,
                            float tolerance,
                            const struct ThrongPointSink *out);
  // For each of `count` places a disc in plan within which it stays in its region, where `way`
  // is where each walks; answers unsupported if the map does not know.
  ThrongStatus (*room_in)(const struct ThrongWorld *world,
                          const struct ThrongLocation *place,
                          const struct ThrongVec2 *way,
                          const uint32_t *region,
                          size_t count,
                          struct ThrongRoom *out);
  // Price of each of `count` straight walks under a table of prices: the integral of the price
  // of a metre by direction. Each begins `seconds` from now at `speed` metres per second (which
  // may be infinite), which picks the time slices. `found` is 0 where a wall or a blocked cell
  // is in between, else 1.
  ThrongStatus (*segment_price)(const struct ThrongWorld *world,
                                uint32_t prices,
                                const struct ThrongLocation *from,
                                const struct ThrongLocation *to,
                                size_t count,
                                float seconds,
                                float speed,
                                struct ThrongSegmentPrice *out,
                                uint8_t *found);
} ThrongWorld;

// A wish for a route.
typedef struct ThrongPlanRequest {
  // Where the route begins.
  struct ThrongLocation from;
  // Where it ends.
  struct ThrongLocation to;
  // Row of the agent, or none (2^32 - 1) for a query.
  uint32_t agent;
  // The shared goal that `to` lies in, or none.
  uint32_t goal;
  // Index of the prices to use, in `World::price`.
  uint32_t prices;
  // The agent's route class.
  uint32_t route_class;
  // The region that `from` was last seen in, a hint, or none.
  uint32_t from_region;
  // Radius that must fit, metres.
  float radius;
  // Weight of the crowd part.
  float weight;
  // Desired speed, metres per second.
  float speed;
} ThrongPlanRequest;

// An answer to a request.
typedef struct ThrongRouteRow {
  // What it is made of: one of `route_kind`.
  uint32_t kind;
  // Why there is none: one of `no_route`.
  uint32_t why;
  // First entry, in the edges or gates that are handed over with it.
  uint32_t first;
  // Entries.
  uint32_t count;
  // Entries at its end that lay beyond the planner's horizon; 0 if it saw everything.
  uint32_t invisible;
  // The edge that the end hangs on, which is entered after the last one and not walked to its
  // end; or none.
  uint32_t into;
  // Length as planned, metres.
  float length;
  // Price as planned, base + w * crowd.
  float cost;
} ThrongRouteRow;

// Takes answers to requests, in the order of the requests. **Owner:** the host. **Thread:** the
// one it was handed to, during that call only.
typedef struct ThrongRouteSink {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // The host's own; handed back to `append`.
  void *context;
  // Appends answers, one or all at once; the host copies them before it returns. It answers an
  // error for rows that do not lie within `edge` or `gate`, or that nobody asked for.
  ThrongStatus (*append)(void *context,
                         const struct ThrongRouteRow *row,
                         size_t rows,
                         const uint32_t *edge,
                         size_t edges,
                         const struct ThrongGate *gate,
                         size_t gates);
} ThrongRouteSink;

// The agents of a call of `guide`. **Owner:** the host; frozen while the call runs.
typedef struct ThrongGuideIn {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // How many agents.
  size_t agents;
  // Their rows in the world's columns.
  const uint32_t *row;
  // Seconds that the answer will hold.
  float dt;
  // Zero.
  uint32_t reserved;
} ThrongGuideIn;

// Where `guide` writes, one entry per agent of the call. **Owner:** the host.
typedef struct ThrongGuideOut {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Preferred velocities in the agents' frames; zero on entry, finite on return.
  struct ThrongVec2 *preferred;
  // Offset to the point walked to, in the agents' frames; zero on entry, finite on return.
  struct ThrongVec2 *target;
  // 1 where the planner has no answer and the agent's route is to be followed; 0 on entry.
  uint8_t *follow_route;
  // Memory: entry `i * scalar_count + c` is column c of agent i.
  float *scalars;
  // Memory: entry `i * tangent_count + c`.
  struct ThrongVec2 *tangents;
  // Memory: entry `i * location_count + c`.
  struct ThrongLocation *locations;
} ThrongGuideOut;

// The functions of a planner. **Thread:** `prepare` and `load` run alone; `plan` and `guide` run
// on many threads at once unless the descriptor says otherwise, each with a scratch of its own.
typedef struct ThrongPlannerTable {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Fills the profile of an instance. Called once, after `create`; the answer is constant.
  ThrongStatus (*profile)(const struct ThrongCall *call,
                          const void *instance,
                          struct ThrongPlannerProfile *out);
  // Makes scratch memory for one thread, as in the table of avoidance; may be null.
  void *(*new_scratch)(void);
  // Frees scratch memory. Any thread.
  void (*free_scratch)(void *scratch);
  // Answers every request, in order, each with one row. An answer depends on the world and the
  // request alone, not on the batch it comes in.
  ThrongStatus (*plan)(const struct ThrongCall *call,
                       const void *instance,
                       void *scratch,
                       const struct ThrongWorld *world,
                       const struct ThrongPlanRequest *request,
                       size_t requests,
                       const struct ThrongRouteSink *out);
  // Renews shared products for this epoch. Answers unsuitable, with the reason, where the world
  // does not do. May be null.
  ThrongStatus (*prepare)(const struct ThrongCall *call,
                          void *instance,
                          const struct ThrongWorld *world);
  // Writes preferred velocities for a chunk. Null unless the profile says `guides`.
  ThrongStatus (*guide)(const struct ThrongCall *call,
                        const void *instance,
                        void *scratch,
                        const struct ThrongWorld *world,
                        const struct ThrongGuideIn *chunk,
                        const struct ThrongGuideOut *out);
  // Writes the state that a resumed run needs and that cannot be prepared anew. Null if there
  // is none.
  ThrongStatus (*save)(const struct ThrongCall *call,
                       const void *instance,
                       const struct ThrongSink *out);
  // Takes back what `save` wrote. Null if there is none.
  ThrongStatus (*load)(const struct ThrongCall *call, void *instance, struct ThrongBytes saved);
} ThrongPlannerTable;

// What an instance asks for. **Owner:** the host; the library fills it.
typedef struct ThrongCostProfile {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // What it reads of the crowd, as bits of `capability`: density, flow.
  uint64_t crowd_needs;
  // Not 0 if prices never change: they are asked for once.
  uint32_t is_static;
  // Zero.
  uint32_t reserved;
} ThrongCostProfile;

// What prices are asked for. **Owner:** the host; frozen while the call runs.
typedef struct ThrongPriceIn {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // The crowd.
  const struct ThrongCrowd *crowd;
  // Least factor on walking speed in each cell; null if 1 everywhere.
  const float *cell_speed;
  // Seconds since the start.
  double time;
  // The class that prices are for.
  struct ThrongRouteClass route_class;
  // Metres of the map's edges that lie in each cell, both directions counted once; null if the
  // host does not say.
  const float *cell_length;
} ThrongPriceIn;

// Where `price` writes. **Owner:** the host. On entry it holds the prices that this class had in
// the last epoch.
//
// For one price everywhere the library sets `is_uniform` and `uniform`. Else it calls `resize`,
// which changes the arrays of this table, and writes all of `base` and `crowd`. Index of an
// entry: `(slice * cells + cell) * directions + direction`.
typedef struct ThrongPriceOut {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // The host's own.
  void *context;
  // Makes room: `directions` 1 or 8, `slices` 1 or more; `blocks` not 0 to have `blocked`.
  // Entries keep their old values or are 0; `is_uniform` becomes 0. May be called again.
  // Answers an error, with the tables unchanged, if that is too much.
  ThrongStatus (*resize)(struct ThrongPriceOut *out,
                         uint32_t directions,
                         uint32_t slices,
                         uint32_t blocks);
  // 1, or 8 if prices depend on the direction.
  uint32_t directions;
  // How many time slices.
  uint32_t slices;
  // Length of a slice, seconds.
  float slice_seconds;
  // The least base price of any cell and direction.
  float least_base;
  // Not 0 if `uniform` is the whole price.
  uint32_t is_uniform;
  // The base price everywhere.
  float uniform;
  // Entries in `base` and in `crowd`.
  size_t entries;
  // Base part: finite, above 0, a lower bound of the whole price.
  float *base;
  // Crowd part: finite, not negative, at most 10,000 times base.
  float *crowd;
  // Words in `blocked`: 0, or one bit for each cell.
  size_t blocked_words;
  // Cells that nobody may enter.
  uint64_t *blocked;
} ThrongPriceOut;

// The functions of a cost model. **Thread:** `observe` and `load` run alone; the others run on
// many threads at once unless the descriptor says otherwise.
typedef struct ThrongCostTable {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Fills the profile of an instance. Called once, after `create`; the answer is constant.
  ThrongStatus (*profile)(const struct ThrongCall *call,
                          const void *instance,
                          struct ThrongCostProfile *out);
  // Writes the prices of one class.
  ThrongStatus (*price)(const struct ThrongCall *call,
                        const void *instance,
                        const struct ThrongPriceIn *context,
                        struct ThrongPriceOut *out);
  // Takes in the crowd, once per epoch, before prices are asked for. Null if the model keeps
  // no state.
  ThrongStatus (*observe)(const struct ThrongCall *call,
                          void *instance,
                          const struct ThrongCrowd *crowd,
                          float seconds);
  // Writes the state that a resumed run needs. Null if there is none.
  ThrongStatus (*save)(const struct ThrongCall *call,
                       const void *instance,
                       const struct ThrongSink *out);
  // Takes back what `save` wrote. Null if there is none.
  ThrongStatus (*load)(const struct ThrongCall *call, void *instance, struct ThrongBytes saved);
} ThrongCostTable;

// What an instance asks for. **Owner:** the host; the library fills it.
typedef struct ThrongAvoidanceProfile {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Neighbours within this distance, metres; 0 asks for none.
  float reach;
  // Walls within this distance, metres; 0 asks for none.
  float wall_reach;
  // At most so many neighbours, the nearest.
  uint32_t most;
  // Not 0 if it also pushes bodies apart.
  uint32_t pushes;
  // How many columns of numbers it keeps per agent.
  uint32_t scalar_count;
  // How many columns of tangent vectors.
  uint32_t tangent_count;
  // How many columns of places.
  uint32_t location_count;
  // Sum of `habit`; other bits are 0.
  uint32_t habits;
  // Names of the columns: scalars, tangents, then locations. The array and the texts are the
  // library's and live as long as the instance.
  const struct ThrongBytes *names;
} ThrongAvoidanceProfile;

// A neighbour in the agent's tangent plane, the agent at (0, 0).
typedef struct ThrongNeighbour {
  // Offset to the neighbour, metres.
  struct ThrongVec2 offset;
  // The neighbour's velocity (not relative), metres per second.
  struct ThrongVec2 velocity;
} ThrongNeighbour;

// A wall near an agent, in its tangent plane. The free side is on the left of `a` to `b`.
typedef struct ThrongNearWall {
  // Where it begins.
  struct ThrongVec2 a;
  // Where it ends.
  struct ThrongVec2 b;
  // Unit direction of the wall that ends at `a`, or zero.
  struct ThrongVec2 before;
  // Unit direction of the wall that begins at `b`, or zero.
  struct ThrongVec2 after;
  // 1: the corner at `a` juts into the free space. 2: so does the one at `b`. 4: an obstacle
  // that maps ignore.
  uint32_t flags;
  // Index of the wall in the ground's list.
  uint32_t wall;
} ThrongNearWall;

// A chunk of agents. **Owner:** the host; frozen while the call runs.
//
// Arrays have `agents` entries if nothing else is said. Rows are compressed: entries
// `start[i]..start[i + 1]` belong to agent i, and `start` has `agents + 1` entries.
typedef struct ThrongSteerIn {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // How many agents.
  size_t agents;
  // Step of the simulation.
  uint64_t step;
  // Seed of the run.
  uint64_t seed;
  // Seconds that the answer will hold.
  float dt;
  // Zero.
  uint32_t reserved;
  // Stable ids.
  const uint64_t *id;
  // How often the agent's tier has steered it.
  const uint32_t *tick;
  // Velocity, metres per second, in the agent's frame like all vectors here.
  const struct ThrongVec2 *velocity;
  // Unit direction the agent faces.
  const struct ThrongVec2 *heading;
  // Preferred velocity.
  const struct ThrongVec2 *preferred;
  // Offset to the point walked to, metres.
  const struct ThrongVec2 *target;
  // Radius, metres.
  const float *radius;
  // Largest speed now, metres per second.
  const float *max_speed;
  // Mass, kilograms.
  const float *mass;
  // Rows of neighbours, nearest first.
  const uint32_t *neighbour_start;
  // How many neighbours in all.
  size_t neighbours;
  // Offset and velocity of each neighbour.
  const struct ThrongNeighbour *neighbour_seen;
  // Radius of each neighbour, metres.
  const float *neighbour_radius;
  // 1 same group, 2 will not avoid us, 4 a vehicle; for each neighbour.
  const uint8_t *neighbour_flags;
  // Stable id of each neighbour, for breaking ties.
  const uint64_t *neighbour_id;
  // Rows of walls.
  const uint32_t *wall_start;
  // How many walls in all.
  size_t walls;
  // The walls.
  const struct ThrongNearWall *wall;
} ThrongSteerIn;

// Where `steer` writes. **Owner:** the host; the library writes the entries of this chunk only.
typedef struct ThrongSteerOut {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // New velocities: every one must be written and finite.
  struct ThrongVec2 *velocity;
  // Displacements, metres, zero on entry; null unless the profile says `pushes`.
  struct ThrongVec2 *push;
  // Memory: entry `i * scalar_count + c` is column c of agent i.
  float *scalars;
  // Memory: entry `i * tangent_count + c`.
  struct ThrongVec2 *tangents;
  // Memory: entry `i * location_count + c`.
  struct ThrongLocation *locations;
  // Not 0 for those whose velocity is not free of collisions, 0 on entry; null unless the
  // profile says `habit::KEEPS_APART`.
  uint8_t *pressed;
} ThrongSteerOut;

// The functions of an avoidance model. **Thread:** `steer` runs on many threads at once unless
// the descriptor says otherwise, each with a scratch of its own.
typedef struct ThrongAvoidanceTable {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Fills the profile of an instance. Called once, after `create`; the answer is constant.
  ThrongStatus (*profile)(const struct ThrongCall *call,
                          const void *instance,
                          struct ThrongAvoidanceProfile *out);
  // Makes scratch memory for one thread, which any instance of the strategy may be given; may
  // be null, then scratch is null. The scratch is the library's own: the host keeps the
  // pointer, uses it on one thread at a time and gives it to `free_scratch` in the end.
  void *(*new_scratch)(void);
  // Frees scratch memory. Any thread.
  void (*free_scratch)(void *scratch);
  // Writes a velocity for every agent. An agent's answer depends on its own row alone, not on
  // the chunk it comes in.
  ThrongStatus (*steer)(const struct ThrongCall *call,
                        const void *instance,
                        void *scratch,
                        const struct ThrongSteerIn *chunk,
                        const struct ThrongSteerOut *out);
  // Longest time, seconds, for which neighbours may be taken to go on as they are if nobody can
  // go faster than `fastest`, metres per second: longer steps are cut into parts. Null if any
  // time will do.
  float (*longest_step)(const void *instance, float fastest);
} ThrongAvoidanceTable;

// What an instance asks for. **Owner:** the host; the library fills it.
typedef struct ThrongLodProfile {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Not 0 if it reads the regions that agents are in: they are looked up in every step then.
  uint32_t reads_regions;
  // The only level that it ever gives, 0 to 254; 256 if there are several.
  uint32_t constant;
} ThrongLodProfile;

// The functions of a level-of-detail policy. **Thread:** `prepare` and `load` run alone; the
// others run on many threads at once unless the descriptor says otherwise.
typedef struct ThrongLodTable {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Fills the profile of an instance. Called once, after `create`; the answer is constant.
  ThrongStatus (*profile)(const struct ThrongCall *call,
                          const void *instance,
                          struct ThrongLodProfile *out);
  // Writes the level, 0 to 254, of the agents `first..first + count`: every one must be written.
  // An agent's level depends on the world alone.
  ThrongStatus (*classify)(const struct ThrongCall *call,
                           const void *instance,
                           const struct ThrongWorld *world,
                           size_t first,
                           size_t count,
                           uint8_t *out);
  // Looks at the world of a step before anybody is sorted. May be null.
  ThrongStatus (*prepare)(const struct ThrongCall *call,
                          void *instance,
                          const struct ThrongWorld *world);
  // Writes the state that a resumed run needs. Null if there is none.
  ThrongStatus (*save)(const struct ThrongCall *call,
                       const void *instance,
                       const struct ThrongSink *out);
  // Takes back what `save` wrote. Null if there is none.
  ThrongStatus (*load)(const struct ThrongCall *call, void *instance, struct ThrongBytes saved);
} ThrongLodTable;

// What an instance asks for. **Owner:** the host; the library fills it.
typedef struct ThrongGroupProfile {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // 0 if it never changes anything: it is not called then.
  uint32_t active;
  // Zero.
  uint32_t reserved;
} ThrongGroupProfile;

// The agents of a call, and what guiding gave everybody. **Owner:** the host; frozen while the
// call runs.
typedef struct ThrongGroupIn {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // First row to adjust.
  size_t first;
  // How many rows.
  size_t count;
  // How many groups.
  size_t groups;
  // `start[g]..start[g + 1]` are the members of group g, the leader first: `groups + 1` entries.
  const uint32_t *start;
  // How many members in all.
  size_t members;
  // Rows of the members.
  const uint32_t *member;
  // How many agents there are.
  size_t agents;
  // Preferred velocities of all agents as guided, each in its agent's frame.
  const struct ThrongVec2 *guided;
  // Offsets to the points that all agents walk to as guided, each in its agent's frame.
  const struct ThrongVec2 *aim;
} ThrongGroupIn;

// Where `adjust` writes, one entry per row of the call; entries hold what guiding gave.
// **Owner:** the host.
typedef struct ThrongGroupOut {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Preferred velocities: must stay finite.
  struct ThrongVec2 *preferred;
  // Offsets to the points walked to: must stay finite.
  struct ThrongVec2 *target;
} ThrongGroupOut;

// The functions of a group behaviour. **Thread:** `adjust` runs on many threads at once unless
// the descriptor says otherwise.
typedef struct ThrongGroupTable {
  // Size of this table.
  uint32_t size;
  // Version of the tables.
  uint32_t version;
  // Fills the profile of an instance. Called once, after `create`; the answer is constant.
  ThrongStatus (*profile)(const struct ThrongCall *call,
                          const void *instance,
                          struct ThrongGroupProfile *out);
  // Adjusts the agents of the chunk.
  ThrongStatus (*adjust)(const struct ThrongCall *call,
                         const void *instance,
                         const struct ThrongWorld *world,
                         const struct ThrongGroupIn *chunk,
                         const struct ThrongGroupOut *out);
} ThrongGroupTable;

// Done; the results are written.
#define THRONG_STATUS_OK 0

// Not done; the reason is in the error sink. Results are not used.
#define THRONG_STATUS_ERROR 1

// Not done: the code panicked or threw, and the border caught it. The host calls the
// instance no more, except to destroy it.
#define THRONG_STATUS_PANIC 2

// Done and the results are written, but something is wrong; what, is in the error sink.
#define THRONG_STATUS_FAULT 3

// Not done: what was handed in does not suit the strategy, and its user must choose another
// or mend the input; the reason is in the error sink.
#define THRONG_STATUS_UNSUITABLE 4

// Not done: the strategy cannot do this at all, and the host does without.
#define THRONG_STATUS_UNSUPPORTED 5

#endif  /* THRONG_H */
