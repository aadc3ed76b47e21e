// SPDX-License-Identifier: Apache-2.0
#include "guard_answers.h"

#include "guard_permission.h"
#include "text.h"

#include <string.h>

static void say(struct text *line)
{
    if (text_error(line) == 0)
        fwrite(line->data, 1, line->length, stdout);
    else
        fputs("{\"knob\":null,\"error\":\"out of memory\",\"remedy\":null}", stdout);
    putchar('\n');
    fflush(stdout);
    text_free(line);
}

static const char *or_null(const char *text)
{
    return text && *text ? text : NULL;
}

void answers_greet(const struct hold *hold, size_t failed)
{
    struct text line = {0};
    text_add(&line, "{\"guard\":1");
    text_add_int(&line, "restored", (int64_t)hold->put_back);
    text_add_int(&line, "failed", (int64_t)failed);
    text_add_field(&line, "record", hold->record.usable ? hold->record.path : NULL);
    text_add(&line, "}");
    say(&line);
}

void answers_write(const struct answer *answer)
{
    struct text line = {0};
    text_add(&line, "{");
    text_add_field(&line, "knob", or_null(answer->knob));
    if (*answer->error) {
        text_add_field(&line, "error", answer->error);
        text_add_field(&line, "remedy", or_null(answer->remedy));
    } else {
        text_add_field(&line, "value", answer->value);
        text_add_field(&line, "original", or_null(answer->original));
    }
    text_add(&line, "}");
    say(&line);
}

void answers_error(const char *error, const char *remedy)
{
    struct answer answer = {0};
    snprintf(answer.error, sizeof answer.error, "%s", error);
    snprintf(answer.remedy, sizeof answer.remedy, "%s", remedy);
    answers_write(&answer);
}

static void add_words(struct text *line, char *words)
{
    char *rest = NULL;
    const char *separator = "";
    text_add_key(line, "allowed");
    text_add(line, "[");
    for (const char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        text_add(line, "%s", separator);
        text_add_string(line, word);
        separator = ",";
    }
    text_add(line, "]");
}

struct listing {
    const struct hold *hold;
    struct text line;
};

static void begin_item(struct text *line, const struct knob_kind *kind, const char *name)
{
    if (line->length && line->data[line->length - 1] == '}')
        text_add(line, ",");
    text_add(line, "{");
    text_add_field(line, "knob", name);
    text_add_field(line, "summary", kind->summary);
    text_add_field(line, "unit", kind->unit);
}

static void end_item(struct text *line, bool available, const char *reason, const char *remedy)
{
    text_add_key(line, "available");
    text_add(line, available ? "true" : "false");
    text_add_field(line, "reason", or_null(reason));
    text_add_field(line, "remedy", or_null(remedy));
    text_add(line, "}");
}

static void add_limits(struct text *line, const struct hold *hold, const struct knob *knob)
{
    long long lowest = 0, highest = 0;
    knob_limits(hold->tree, knob, &lowest, &highest);
    text_add_int(line, "lowest", lowest);
    text_add_int(line, "highest", highest);
}

static void list_knob(const struct knob *knob, void *context)
{
    struct listing *listing = context;
    const struct hold *hold = listing->hold;
    struct answer answer = {0};
    char value[KNOB_VALUE] = "", words[KNOB_VALUE];
    const struct held *held = held_find(&hold->held, knob->name);
    bool available = permission_to_set(&hold->record, knob, &answer);
    begin_item(&listing->line, knob->kind, knob->name);
    text_add_field(&listing->line, "value", knob_read(hold->tree, knob, value) ? NULL : value);
    text_add_field(&listing->line, "original", held ? held->original : NULL);
    knob_words(hold->tree, knob, words);
    add_words(&listing->line, words);
    if (knob->kind->values == KNOB_NUMBER)
        add_limits(&listing->line, hold, knob);
    end_item(&listing->line, available, answer.error, answer.remedy);
}

static void list_absent(struct text *line, const struct knob_kind *kind)
{
    char reason[KNOB_NAME + 32], none[] = "";
    snprintf(reason, sizeof reason, "%s is not available here", kind->name);
    begin_item(line, kind, kind->name);
    text_add_field(line, "value", NULL);
    text_add_field(line, "original", NULL);
    add_words(line, none);
    end_item(line, false, reason, kind->absent);
}

void answers_list(const struct hold *hold)
{
    struct listing listing = {.hold = hold};
    text_add(&listing.line, "{\"knobs\":[");
    for (size_t i = 0; i < knob_kind_count; i++) {
        if (knob_kinds[i].internal)
            continue;
        int count = knob_each(hold->tree, &knob_kinds[i], list_knob, &listing);
        // A second row of the same name is another place for the same knob.
        for (; i + 1 < knob_kind_count && strcmp(knob_kinds[i].name, knob_kinds[i + 1].name) == 0; i++)
            count = count ? count : knob_each(hold->tree, &knob_kinds[i + 1], list_knob, &listing);
        if (!count)
            list_absent(&listing.line, &knob_kinds[i]);
    }
    text_add(&listing.line, "]}");
    say(&listing.line);
}
