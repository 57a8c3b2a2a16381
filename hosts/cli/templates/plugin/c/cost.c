/* Cost `__id__`: crowded metres cost more. */

#include "throng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An instance: its options. */
typedef struct {
    float factor; /* Further price of a metre where bodies cover the whole ground. */
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
    model->factor = 5.0f;
    const char *key = strstr(json, "\"factor\"");
    const char *colon = key ? strchr(key, ':') : NULL;
    if (colon)
        model->factor = strtof(colon + 1, NULL);
    *out = model;
    return THRONG_STATUS_OK;
}

static void destroy(void *instance) { free(instance); }

/* Every option as it was taken, defaults included. */
static ThrongStatus effective(const ThrongCall *call, const void *instance, const ThrongSink *out) {
    (void)call;
    const Model *model = instance;
    char json[64];
    int count = snprintf(json, sizeof json, "{\"factor\": %.9g}", (double)model->factor);
    ThrongBytes text = {(const uint8_t *)json, (size_t)count};
    out->append(out->context, text);
    return THRONG_STATUS_OK;
}

/* What it reads of the crowd. */
static ThrongStatus profile(const ThrongCall *call, const void *instance, ThrongCostProfile *out) {
    (void)call;
    (void)instance;
    out->crowd_needs = THRONG_CAPABILITY_DENSITY;
    out->is_static = 0;
    return THRONG_STATUS_OK;
}

/* Bodies' area comes as whole numbers of this many to a square metre. */
#define AREA_UNIT 1048576.0

/* The price of a metre in every crowd cell; the host makes room for it. */
static ThrongStatus price(const ThrongCall *call, const void *instance, const ThrongPriceIn *in,
                          ThrongPriceOut *out) {
    const Model *model = instance;
    if (out->resize(out, 1, 1, 0) != THRONG_STATUS_OK)
        return refuse(call, "no room for prices");
    for (size_t c = 0; c < out->entries; c++) {
        double density = 0.0;
        if (in->crowd->area[c] > 0.0f && in->crowd->occupied)
            density = (double)in->crowd->occupied[c] / AREA_UNIT / (double)in->crowd->area[c];
        out->base[c] = 1.0f;
        out->crowd[c] = model->factor * (float)(density < 1.0 ? density : 1.0);
    }
    out->least_base = 1.0f;
    return THRONG_STATUS_OK;
}

static const ThrongCostTable TABLE = {
    .size = sizeof(ThrongCostTable),
    .version = THRONG_ABI_VERSION,
    .profile = profile,
    .price = price,
};

static const ThrongDescriptor DESCRIPTOR = {
    .size = sizeof(ThrongDescriptor),
    .version = THRONG_ABI_VERSION,
    .slot = THRONG_SLOT_COST,
    .threads = THRONG_THREADS_MANY,
    .id = THRONG_TEXT("__id__"),
    .strategy_version = THRONG_TEXT("0.1.0"),
    .origin = THRONG_TEXT("__id__ 0.1.0"),
    .about = THRONG_TEXT("Crowded metres cost more."),
    .when = THRONG_TEXT("As a start for a model of your own."),
    .when_not = THRONG_TEXT("Figures of a published model are wanted."),
    .growth = THRONG_TEXT("Time and memory grow with the crowd cells."),
    .options = THRONG_TEXT(
        "{\"type\": \"object\", \"properties\": {"
        "\"factor\": {\"type\": \"number\", \"default\": 5, \"minimum\": 0, \"maximum\": 1000,"
        " \"description\": \"Further price of a metre where bodies cover the whole ground.\"}}}"),
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
