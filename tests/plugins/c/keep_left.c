/* Avoidance `keep-left`, in C: keep apart, and pass whoever comes towards us on one side.
 *
 * The velocity is the preferred one, plus a push away from bodies and walls that grows linearly as
 * the gap closes, plus a step to the side while somebody ahead comes towards us. How long that has
 * been so is kept in a memory column: the step grows with it. */

#include "throng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float gap;      /* Gap that is kept free, metres. */
    float strength; /* Speed of keeping apart where bodies touch, metres per second. */
    float side;     /* 1 to pass on the left, -1 on the right. */
} KeepLeft;

/* Says why a call gives no answer. */
static ThrongStatus refuse(const ThrongCall *call, const char *reason) {
    ThrongBytes text = {(const uint8_t *)reason, strlen(reason)};
    call->error.append(call->error.context, text);
    return THRONG_STATUS_ERROR;
}

/* Reads a number of a JSON object without nesting; absent ones keep their default. */
static int read_number(const char *json, const char *name, float *value) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\"", name);
    const char *at = strstr(json, key);
    if (!at)
        return 1;
    at = strchr(at + strlen(key), ':');
    char *end;
    if (!at)
        return 0;
    double number = strtod(at + 1, &end);
    *value = (float)number;
    return end != at + 1;
}

static ThrongStatus create(const ThrongCall *call, ThrongBytes options, void **out) {
    char json[512];
    if (options.count >= sizeof json)
        return refuse(call, "options are too long");
    memcpy(json, options.data, options.count);
    json[options.count] = 0;
    KeepLeft *model = malloc(sizeof *model);
    if (!model)
        return refuse(call, "no memory");
    *model = (KeepLeft){0.4f, 1.5f, 1.0f};
    if (!read_number(json, "gap", &model->gap) || !read_number(json, "strength", &model->strength) ||
        !read_number(json, "side", &model->side)) {
        free(model);
        return refuse(call, "an option is no number");
    }
    *out = model;
    return THRONG_STATUS_OK;
}

static void destroy(void *instance) { free(instance); }

static ThrongStatus effective(const ThrongCall *call, const void *instance, const ThrongSink *out) {
    (void)call;
    const KeepLeft *model = instance;
    char json[128];
    int count = snprintf(json, sizeof json, "{\"gap\": %.9g, \"strength\": %.9g, \"side\": %.9g}",
                         model->gap, model->strength, model->side);
    ThrongBytes text = {(const uint8_t *)json, (size_t)count};
    out->append(out->context, text);
    return THRONG_STATUS_OK;
}

static const ThrongBytes COLUMNS[] = {THRONG_TEXT("met_for")};

static ThrongStatus profile(const ThrongCall *call, const void *instance,
                            ThrongAvoidanceProfile *out) {
    (void)call;
    const KeepLeft *model = instance;
    out->reach = model->gap + 5.0f;
    out->most = 8;
    out->wall_reach = model->gap + 1.0f;
    out->scalar_count = 1;
    out->names = COLUMNS;
    return THRONG_STATUS_OK;
}

/* Speed of the push of a body whose surface is `gap` metres away. */
static float push(const KeepLeft *model, float gap) {
    if (model->gap <= 0.0f || gap >= model->gap)
        return 0.0f;
    float share = 1.0f - gap / model->gap;
    return model->strength * (share < 2.0f ? share : 2.0f);
}

static float length(ThrongVec2 v) { return sqrtf(v.x * v.x + v.y * v.y); }

/* The point of a wall nearest to the agent. */
static ThrongVec2 nearest(const ThrongNearWall *wall) {
    ThrongVec2 along = {wall->b.x - wall->a.x, wall->b.y - wall->a.y};
    float squared = along.x * along.x + along.y * along.y;
    float share = 0.0f;
    if (squared > 0.0f)
        share = -(wall->a.x * along.x + wall->a.y * along.y) / squared;
    share = share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
    ThrongVec2 point = {wall->a.x + along.x * share, wall->a.y + along.y * share};
    return point;
}

static ThrongStatus steer(const ThrongCall *call, const void *instance, void *scratch,
                          const ThrongSteerIn *in, const ThrongSteerOut *out) {
    (void)call;
    (void)scratch;
    const KeepLeft *model = instance;
    for (size_t i = 0; i < in->agents; i++) {
        ThrongVec2 wish = in->preferred[i], v = wish;
        float speed = length(wish);
        int met = 0;
        for (uint32_t n = in->neighbour_start[i]; n < in->neighbour_start[i + 1]; n++) {
            ThrongNeighbour other = in->neighbour_seen[n];
            float distance = length(other.offset);
            ThrongVec2 away = {in->id[i] < in->neighbour_id[n] ? 1.0f : -1.0f, 0.0f};
            if (distance > 1e-6f) {
                away.x = -other.offset.x / distance;
                away.y = -other.offset.y / distance;
            }
            float force = push(model, distance - in->radius[i] - in->neighbour_radius[n]);
            /* Who does not make way is left the whole of it. */
            if (!(in->neighbour_flags[n] & 2))
                force *= 0.5f;
            v.x += away.x * force;
            v.y += away.y * force;
            float ahead = wish.x * other.offset.x + wish.y * other.offset.y;
            float towards = wish.x * other.velocity.x + wish.y * other.velocity.y;
            if (ahead > 0.0f && towards < 0.0f && distance < 3.0f)
                met = 1;
        }
        for (uint32_t w = in->wall_start[i]; w < in->wall_start[i + 1]; w++) {
            ThrongVec2 to = nearest(&in->wall[w]);
            float distance = length(to);
            if (distance > 1e-6f) {
                float force = push(model, distance - in->radius[i]);
                v.x -= to.x / distance * force;
                v.y -= to.y / distance * force;
            }
        }
        float *met_for = &out->scalars[i];
        *met_for = met ? *met_for + in->dt : 0.0f;
        if (speed > 0.0f && met) {
            float step = *met_for < 1.0f ? *met_for : 1.0f;
            v.x -= wish.y * step * model->side * 0.5f;
            v.y += wish.x * step * model->side * 0.5f;
        }
        float fast = length(v);
        if (fast > in->max_speed[i]) {
            v.x *= in->max_speed[i] / fast;
            v.y *= in->max_speed[i] / fast;
        }
        out->velocity[i] = v;
    }
    return THRONG_STATUS_OK;
}

static const ThrongAvoidanceTable TABLE = {
    .size = sizeof(ThrongAvoidanceTable),
    .version = THRONG_ABI_VERSION,
    .profile = profile,
    .steer = steer,
};

static const ThrongDescriptor DESCRIPTOR = {
    .size = sizeof(ThrongDescriptor),
    .version = THRONG_ABI_VERSION,
    .slot = THRONG_SLOT_AVOIDANCE,
    .threads = THRONG_THREADS_MANY,
    .id = THRONG_TEXT("keep-left"),
    .strategy_version = THRONG_TEXT("0.1.0"),
    .origin = THRONG_TEXT("keep_left.c"),
    .about = THRONG_TEXT("Keeps apart and passes oncoming people on one side."),
    .when = THRONG_TEXT("As an example of a model in C."),
    .when_not = THRONG_TEXT("Crowds are dense: it promises no freedom from collisions."),
    .growth = THRONG_TEXT("Time grows with agents times neighbours; one number per agent."),
    .options = THRONG_TEXT(
        "{\"type\": \"object\", \"properties\": {"
        "\"gap\": {\"type\": \"number\", \"unit\": \"m\", \"minimum\": 0, \"maximum\": 5,"
        " \"default\": 0.4, \"description\": \"Gap that is kept free.\"},"
        "\"strength\": {\"type\": \"number\", \"unit\": \"m/s\", \"minimum\": 0, \"maximum\": 20,"
        " \"default\": 1.5, \"description\": \"Speed of keeping apart where bodies touch.\"},"
        "\"side\": {\"type\": \"number\", \"minimum\": -1, \"maximum\": 1, \"default\": 1,"
        " \"description\": \"1 to pass on the left, -1 on the right.\"}}}"),
    .create = create,
    .destroy = destroy,
    .effective = effective,
    .table = &TABLE,
};

static ThrongStatus start(const ThrongCall *call) {
    const ThrongHost *host = call->host;
    ThrongBytes text = THRONG_TEXT("keep_left.c: ready");
    host->log(host->context, 4, text);
    return THRONG_STATUS_OK;
}

static uint32_t count(void) { return 1; }

static const ThrongDescriptor *describe(const ThrongCall *call, uint32_t index) {
    (void)call;
    return index == 0 ? &DESCRIPTOR : NULL;
}

THRONG_EXPORT const ThrongPlugin throng_plugin_v1 = {
    .magic = THRONG_MAGIC,
    .size = sizeof(ThrongPlugin),
    .version = THRONG_ABI_VERSION,
    .unwinding = THRONG_UNWINDING_NONE,
    .start = start,
    .count = count,
    .describe = describe,
};
