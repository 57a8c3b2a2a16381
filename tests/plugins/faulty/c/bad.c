/* A cost model in C whose library is wrong in the way that CASE says: what the loader must refuse. */

#include "throng.h"

#include <stdint.h>
#include <string.h>

enum {
    GOOD = 0,
    TWICE,
    NO_STRATEGIES,
    TOO_MANY,
    NO_DESCRIPTOR,
    NO_SLOT,
    NO_TABLE,
    NO_PRICE,
    NO_CREATE,
    BAD_ID,
    ID_NOT_TEXT,
    ENDLESS_TEXT,
    BAD_SCHEMA,
    BAD_DEFAULT,
    BAD_THREADS,
    BAD_NEEDS,
    OLD_DESCRIPTOR,
    SMALL_DESCRIPTOR,
    NEW_TABLE,
    SMALL_TABLE,
    START_FAILS,
    NO_START,
    BUILT_IN,
    HALF_STATE,
    NOTHING_MADE,
    CREATE_FAILS,
    OPTIONS_NOT_JSON,
    PRICE_FAILS,
    PRICE_STATUS,
};

static ThrongStatus say(const ThrongCall *call, const char *reason, ThrongStatus status) {
    ThrongBytes text = {(const uint8_t *)reason, strlen(reason)};
    call->error.append(call->error.context, text);
    return status;
}

static int INSTANCE;

static ThrongStatus create(const ThrongCall *call, ThrongBytes options, void **out) {
    (void)options;
    if (CASE == CREATE_FAILS)
        return say(call, "not today", THRONG_STATUS_ERROR);
    *out = CASE == NOTHING_MADE ? NULL : &INSTANCE;
    return THRONG_STATUS_OK;
}

static void destroy(void *instance) { (void)instance; }

static ThrongStatus effective(const ThrongCall *call, const void *instance, const ThrongSink *out) {
    (void)call;
    (void)instance;
    ThrongBytes good = THRONG_TEXT("{}"), bad = THRONG_TEXT("factor = 3");
    out->append(out->context, CASE == OPTIONS_NOT_JSON ? bad : good);
    return THRONG_STATUS_OK;
}

static ThrongStatus profile(const ThrongCall *call, const void *instance, ThrongCostProfile *out) {
    (void)call;
    (void)instance;
    out->crowd_needs = 0;
    out->is_static = 0;
    return THRONG_STATUS_OK;
}

static ThrongStatus price(const ThrongCall *call, const void *instance, const ThrongPriceIn *in,
                          ThrongPriceOut *out) {
    (void)instance;
    (void)in;
    if (CASE == PRICE_FAILS)
        return say(call, "sold out", THRONG_STATUS_ERROR);
    if (CASE == PRICE_STATUS)
        return say(call, "who knows", 77);
    out->is_uniform = 1;
    out->uniform = 1.0f;
    out->least_base = 1.0f;
    return THRONG_STATUS_OK;
}

static ThrongStatus save(const ThrongCall *call, const void *instance, const ThrongSink *out) {
    (void)call;
    (void)instance;
    (void)out;
    return THRONG_STATUS_OK;
}

static const ThrongCostTable TABLE = {
    .size = CASE == SMALL_TABLE ? 5 : sizeof(ThrongCostTable),
    .version = CASE == NEW_TABLE ? THRONG_ABI_VERSION + 1 : THRONG_ABI_VERSION,
    .profile = profile,
    .price = CASE == NO_PRICE ? NULL : price,
    .save = CASE == HALF_STATE ? save : NULL,
};

#define ID \
    (CASE == BAD_ID ? "Bad Id" : CASE == ID_NOT_TEXT ? "\xff\xfe" : CASE == BUILT_IN ? "density" : "bad")
#define SCHEMA \
    (CASE == BAD_SCHEMA    ? "{\"properties\": 3}" \
     : CASE == BAD_DEFAULT ? "{\"properties\": {\"factor\": {\"type\": \"number\", \"maximum\": 1, \"default\": 2}}}" \
                           : "{\"properties\": {}}")

static ThrongDescriptor DESCRIPTOR;

static ThrongStatus start(const ThrongCall *call) {
    if (CASE == START_FAILS)
        return say(call, "out of order", THRONG_STATUS_ERROR);
    return THRONG_STATUS_OK;
}

static uint32_t count(void) {
    return CASE == TWICE ? 2 : CASE == NO_STRATEGIES ? 0 : CASE == TOO_MANY ? UINT32_MAX : 1;
}

static const ThrongDescriptor *describe(const ThrongCall *call, uint32_t index) {
    (void)index;
    if (CASE == NO_DESCRIPTOR) {
        say(call, "lost it", 0);
        return NULL;
    }
    const ThrongBytes text = THRONG_TEXT("Wrong on purpose.");
    DESCRIPTOR = (ThrongDescriptor){
        .size = CASE == SMALL_DESCRIPTOR ? 16 : sizeof(ThrongDescriptor),
        .version = CASE == OLD_DESCRIPTOR ? 0 : THRONG_ABI_VERSION,
        .slot = CASE == NO_SLOT ? 99 : THRONG_SLOT_COST,
        .threads = CASE == BAD_THREADS ? 7 : THRONG_THREADS_MANY,
        .id = {(const uint8_t *)ID, strlen(ID)},
        .strategy_version = text,
        .origin = text,
        .about = text,
        .when = text,
        .when_not = text,
        .growth = text,
        .options = {(const uint8_t *)SCHEMA, strlen(SCHEMA)},
        .needs = CASE == BAD_NEEDS ? UINT64_C(1) << 40 : 0,
        .create = CASE == NO_CREATE ? NULL : create,
        .destroy = destroy,
        .effective = effective,
        .table = CASE == NO_TABLE ? NULL : &TABLE,
    };
    if (CASE == ENDLESS_TEXT)
        DESCRIPTOR.about.count = SIZE_MAX;
    return &DESCRIPTOR;
}

THRONG_EXPORT const ThrongPlugin throng_plugin_v1 = {
    .magic = THRONG_MAGIC,
    .size = sizeof(ThrongPlugin),
    .version = THRONG_ABI_VERSION,
    .unwinding = THRONG_UNWINDING_NONE,
    .start = CASE == NO_START ? NULL : start,
    .count = count,
    .describe = describe,
};
