/* Avoidance `__id__`: slows down for whoever is in its way. */

#include "throng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An instance: its options. */
typedef struct {
    float distance; /* Gap between bodies at which it begins to slow down, metres. */
} Model;

/* Says why a call gives no answer. */
static ThrongStatus refuse(const ThrongCall *call, const char *reason) {
    ThrongBytes text = {(const uint8_t *)reason, strlen(reason)};
    call->error.append(call->error.context, text);
    return THRONG_STATUS_ERROR;
}

/* Options come as a JSON object with the names and values that the schema below allows. */
static ThrongStatus create(const ThrongCall *call, ThrongBytes options, void **out) {
    char json[256];
    if (options.count >= sizeof json)
        return refuse(call, "options are too long");
    if (options.count)
        memcpy(json, options.data, options.count);
    json[options.count] = 0;
    Model *model = malloc(sizeof *model);
    if (!model)
        return refuse(call, "no memory");
    model->distance = 0.8f;
    const char *key = strstr(json, "\"distance\"");
    const char *colon = key ? strchr(key, ':') : NULL;
    if (colon)
        model->distance = strtof(colon + 1, NULL);
    *out = model;
    return THRONG_STATUS_OK;
}

static void destroy(void *instance) { free(instance); }

/* Every option as it was taken, defaults included. */
static ThrongStatus effective(const ThrongCall *call, const void *instance, const ThrongSink *out) {
    (void)call;
    const Model *model = instance;
    char json[64];
    int count = snprintf(json, sizeof json, "{\"distance\": %.9g}", (double)model->distance);
    ThrongBytes text = {(const uint8_t *)json, (size_t)count};
    out->append(out->context, text);
    return THRONG_STATUS_OK;
}

/* How far people look. */
static ThrongStatus profile(const ThrongCall *call, const void *instance,
                            ThrongAvoidanceProfile *out) {
    (void)call;
    const Model *model = instance;
    out->reach = model->distance + 1.0f;
    out->wall_reach = 0.0f;
    out->most = 8;
    return THRONG_STATUS_OK;
}

/* A velocity for every agent of the chunk; the host lends the arrays until this returns. */
static ThrongStatus steer(const ThrongCall *call, const void *instance, void *scratch,
                          const ThrongSteerIn *in, const ThrongSteerOut *out) {
    (void)call;
    (void)scratch;
    const Model *model = instance;
    for (size_t i = 0; i < in->agents; i++) {
        ThrongVec2 wish = in->preferred[i];
        float speed = sqrtf(wish.x * wish.x + wish.y * wish.y);
        if (speed > in->max_speed[i]) {
            wish.x *= in->max_speed[i] / speed;
            wish.y *= in->max_speed[i] / speed;
            speed = in->max_speed[i];
        }
        float share = 1.0f;
        for (uint32_t n = in->neighbour_start[i]; n < in->neighbour_start[i + 1]; n++) {
            ThrongVec2 offset = in->neighbour_seen[n].offset;
            float width = in->radius[i] + in->neighbour_radius[n];
            float ahead = offset.x * wish.x + offset.y * wish.y;
            float aside = offset.x * wish.y - offset.y * wish.x;
            if (ahead <= 0.0f || fabsf(aside) > width * speed)
                continue; /* Behind us, or not in our way. */
            float gap = sqrtf(offset.x * offset.x + offset.y * offset.y) - width;
            if (gap / model->distance < share)
                share = gap / model->distance;
        }
        /* Nobody stops for good: two who wait for each other would. */
        if (share < 0.2f)
            share = 0.2f;
        out->velocity[i].x = wish.x * share;
        out->velocity[i].y = wish.y * share;
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
    .id = THRONG_TEXT("__id__"),
    .strategy_version = THRONG_TEXT("0.1.0"),
    .origin = THRONG_TEXT("__id__ 0.1.0"),
    .about = THRONG_TEXT("Slows down for whoever is in its way."),
    .when = THRONG_TEXT("As a start for a model of your own."),
    .when_not = THRONG_TEXT("Bodies are to stay apart: nobody steps aside."),
    .growth = THRONG_TEXT("Time grows with agents and neighbours; no memory."),
    .options = THRONG_TEXT(
        "{\"type\": \"object\", \"properties\": {"
        "\"distance\": {\"type\": \"number\", \"unit\": \"m\", \"default\": 0.8,"
        " \"minimum\": 0.01, \"maximum\": 5,"
        " \"description\": \"Gap between bodies at which it begins to slow down.\"}}}"),
    .create = create,
    .destroy = destroy,
    .effective = effective,
    .table = &TABLE,
};

static ThrongStatus start(const ThrongCall *call) {
    (void)call;
    return THRONG_STATUS_OK;
}

static uint32_t count(void) { return 1; }

static const ThrongDescriptor *describe(const ThrongCall *call, uint32_t index) {
    (void)call;
    return index == 0 ? &DESCRIPTOR : NULL;
}

/* The one symbol that Throng looks for. */
THRONG_EXPORT const ThrongPlugin throng_plugin_v1 = {
    .magic = THRONG_MAGIC,
    .size = sizeof(ThrongPlugin),
    .version = THRONG_ABI_VERSION,
    .unwinding = THRONG_UNWINDING_NONE,
    .start = start,
    .count = count,
    .describe = describe,
};
