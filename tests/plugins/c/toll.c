/* Cost `toll`, in C: a metre costs more the more of the ground is covered by bodies.
 *
 * The price grows with the density of the cell, smoothed from epoch to epoch; the smoothed column
 * is the state that a resumed run needs. */

#include "throng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float rate;   /* Price of a metre where bodies cover the whole ground. */
    float kept;   /* Share of the old density that is kept at each epoch. */
    size_t cells; /* Entries of `density`. */
    float *density;
} Toll;

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
    Toll *model = calloc(1, sizeof *model);
    if (!model)
        return refuse(call, "no memory");
    model->rate = 5.0f;
    model->kept = 0.5f;
    if (!read_number(json, "rate", &model->rate) || !read_number(json, "kept", &model->kept)) {
        free(model);
        return refuse(call, "an option is no number");
    }
    *out = model;
    return THRONG_STATUS_OK;
}

static void destroy(void *instance) {
    Toll *model = instance;
    free(model->density);
    free(model);
}

static ThrongStatus effective(const ThrongCall *call, const void *instance, const ThrongSink *out) {
    (void)call;
    const Toll *model = instance;
    char json[128];
    int count = snprintf(json, sizeof json, "{\"rate\": %.9g, \"kept\": %.9g}", model->rate,
                         model->kept);
    ThrongBytes text = {(const uint8_t *)json, (size_t)count};
    out->append(out->context, text);
    return THRONG_STATUS_OK;
}

static ThrongStatus profile(const ThrongCall *call, const void *instance, ThrongCostProfile *out) {
    (void)call;
    (void)instance;
    out->crowd_needs = THRONG_CAPABILITY_DENSITY;
    out->is_static = 0;
    return THRONG_STATUS_OK;
}

static ThrongStatus observe(const ThrongCall *call, void *instance, const ThrongCrowd *crowd,
                            float seconds) {
    (void)seconds;
    Toll *model = instance;
    if (model->cells != crowd->cells) {
        float *density = calloc(crowd->cells, sizeof *density);
        if (!density && crowd->cells)
            return refuse(call, "no memory");
        free(model->density);
        model->density = density;
        model->cells = crowd->cells;
    }
    for (size_t c = 0; c < crowd->cells; c++) {
        float now = 0.0f;
        if (crowd->area[c] > 0.0f)
            now = (float)((double)crowd->occupied[c] / 1048576.0 / (double)crowd->area[c]);
        model->density[c] = model->density[c] * model->kept + now * (1.0f - model->kept);
    }
    return THRONG_STATUS_OK;
}

static ThrongStatus price(const ThrongCall *call, const void *instance, const ThrongPriceIn *in,
                          ThrongPriceOut *out) {
    const Toll *model = instance;
    if (out->resize(out, 1, 1, 0) != THRONG_STATUS_OK)
        return refuse(call, "no room for prices");
    for (size_t c = 0; c < out->entries; c++) {
        float density = c < model->cells ? model->density[c] : 0.0f;
        out->base[c] = 1.0f;
        out->crowd[c] = model->rate * (density < 1.0f ? density : 1.0f);
    }
    out->least_base = 1.0f;
    (void)in;
    return THRONG_STATUS_OK;
}

static ThrongStatus save(const ThrongCall *call, const void *instance, const ThrongSink *out) {
    (void)call;
    const Toll *model = instance;
    ThrongBytes bytes = {(const uint8_t *)model->density, model->cells * sizeof(float)};
    out->append(out->context, bytes);
    return THRONG_STATUS_OK;
}

static ThrongStatus load(const ThrongCall *call, void *instance, ThrongBytes saved) {
    Toll *model = instance;
    if (saved.count % sizeof(float))
        return refuse(call, "saved state is no row of numbers");
    float *density = malloc(saved.count ? saved.count : 1);
    if (!density)
        return refuse(call, "no memory");
    if (saved.count)
        memcpy(density, saved.data, saved.count);
    free(model->density);
    model->density = density;
    model->cells = saved.count / sizeof(float);
    return THRONG_STATUS_OK;
}

static const ThrongCostTable TABLE = {
    .size = sizeof(ThrongCostTable),
    .version = THRONG_ABI_VERSION,
    .profile = profile,
    .price = price,
    .observe = observe,
    .save = save,
    .load = load,
};

static const ThrongDescriptor DESCRIPTOR = {
    .size = sizeof(ThrongDescriptor),
    .version = THRONG_ABI_VERSION,
    .slot = THRONG_SLOT_COST,
    .threads = THRONG_THREADS_MANY,
    .id = THRONG_TEXT("toll"),
    .strategy_version = THRONG_TEXT("0.1.0"),
    .origin = THRONG_TEXT("toll.c"),
    .about = THRONG_TEXT("A metre costs more the more of the ground is covered by bodies."),
    .when = THRONG_TEXT("As an example of a model in C."),
    .when_not = THRONG_TEXT("Figures of a published model are wanted."),
    .growth = THRONG_TEXT("Time and memory grow with the cells."),
    .options = THRONG_TEXT(
        "{\"type\": \"object\", \"properties\": {"
        "\"rate\": {\"type\": \"number\", \"minimum\": 0, \"maximum\": 1000, \"default\": 5,"
        " \"description\": \"Price of a metre where bodies cover the whole ground.\"},"
        "\"kept\": {\"type\": \"number\", \"minimum\": 0, \"maximum\": 1, \"default\": 0.5,"
        " \"description\": \"Share of the old density that is kept at each epoch.\"}}}"),
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

THRONG_EXPORT const ThrongPlugin throng_plugin_v1 = {
    .magic = THRONG_MAGIC,
    .size = sizeof(ThrongPlugin),
    .version = THRONG_ABI_VERSION,
    .unwinding = THRONG_UNWINDING_NONE,
    .start = start,
    .count = count,
    .describe = describe,
};
