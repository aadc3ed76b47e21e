// SPDX-License-Identifier: Apache-2.0
#include "guard_answers.h"

#include <string.h>

static void write_string(const char *text)
{
    putchar('"');
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            printf("\\%c", *at);
        else if (*at < 0x20 || *at > 0x7e)
            printf("\\u%04x", *at);
        else
            putchar(*at);
    }
    putchar('"');
}

static void write_field(const char *name, const char *text)
{
    printf(",\"%s\":", name);
    if (text && *text)
        write_string(text);
    else
        fputs("null", stdout);
}

static void end_line(void)
{
    putchar('\n');
    fflush(stdout);
}

void answers_greet(const struct hold *hold, size_t restored, size_t failed)
{
    printf("{\"guard\":1,\"restored\":%zu,\"failed\":%zu", restored, failed);
    write_field("record", !hold->record.usable ? NULL : hold->record.path);
    putchar('}');
    end_line();
}

void answers_write(const struct answer *answer)
{
    fputs("{\"knob\":", stdout);
    write_string(answer->knob);
    if (*answer->error) {
        write_field("error", answer->error);
        write_field("remedy", answer->remedy);
    } else {
        fputs(",\"value\":", stdout);
        write_string(answer->value);
        write_field("original", answer->original);
    }
    putchar('}');
    end_line();
}

void answers_error(const char *error, const char *remedy)
{
    fputs("{\"knob\":null", stdout);
    write_field("error", error);
    write_field("remedy", remedy);
    putchar('}');
    end_line();
}

static void write_words(const char *words)
{
    const char *separator = "";
    fputs(",\"allowed\":[", stdout);
    for (const char *at = words + strspn(words, " "); *at; at += strspn(at, " ")) {
        char word[64];
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        fputs(separator, stdout);
        write_string(word);
        separator = ",";
        at += length;
    }
    putchar(']');
}

struct listing {
    const struct hold *hold;
    const char *separator;
};

static void begin_item(struct listing *listing, const struct knob_kind *kind, const char *name)
{
    fputs(listing->separator, stdout);
    listing->separator = ",";
    fputs("{\"knob\":", stdout);
    write_string(name);
    write_field("summary", kind->summary);
    write_field("unit", kind->unit);
}

static void list_knob(const struct knob *knob, void *context)
{
    struct listing *listing = context;
    struct answer answer = {0};
    char value[KNOB_VALUE] = "", words[KNOB_VALUE];
    const struct hold *hold = listing->hold;
    bool available = hold_may_set(hold, knob, &answer);
    begin_item(listing, knob->kind, knob->name);
    write_field("value", knob_read(hold->machine, knob, value) ? NULL : value);
    const struct held *held = held_find(&hold->held, knob->name);
    write_field("original", held ? held->original : NULL);
    knob_words(hold->machine, knob, words);
    write_words(words);
    if (knob->kind->values == KNOB_NUMBER) {
        long long lowest = 0, highest = 0;
        knob_limits(hold->machine, knob, &lowest, &highest);
        printf(",\"lowest\":%lld,\"highest\":%lld", lowest, highest);
    }
    printf(",\"available\":%s", available ? "true" : "false");
    write_field("reason", answer.error);
    write_field("remedy", answer.remedy);
    putchar('}');
}

static void list_absent(struct listing *listing, const struct knob_kind *kind)
{
    begin_item(listing, kind, kind->name);
    fputs(",\"value\":null,\"original\":null,\"allowed\":[],\"available\":false", stdout);
    char reason[256];
    snprintf(reason, sizeof reason, "%s is not available here", kind->name);
    write_field("reason", reason);
    write_field("remedy", kind->absent);
    putchar('}');
}

void answers_list(const struct hold *hold)
{
    struct listing listing = {.hold = hold, .separator = ""};
    fputs("{\"knobs\":[", stdout);
    for (size_t i = 0; i < knob_kind_count; i++) {
        if (knob_kinds[i].internal)
            continue;
        int count = knob_each(hold->machine, &knob_kinds[i], list_knob, &listing);
        // A second row of the same name is another place for the same knob.
        for (; i + 1 < knob_kind_count && strcmp(knob_kinds[i].name, knob_kinds[i + 1].name) == 0; i++)
            count = count ? count : knob_each(hold->machine, &knob_kinds[i + 1], list_knob, &listing);
        if (!count)
            list_absent(&listing, &knob_kinds[i]);
    }
    fputs("]}", stdout);
    end_line();
}
