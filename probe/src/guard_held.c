// SPDX-License-Identifier: Apache-2.0
#include "guard_held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int held_add(struct held_list *list, const char *name, const char *original)
{
    struct held *items = realloc(list->items, (list->count + 1) * sizeof *items);
    char *copy = strdup(original);
    if (items)
        list->items = items;
    if (!items || !copy) {
        free(copy);
        return -ENOMEM;
    }
    struct held *item = &items[list->count++];
    *item = (struct held){.original = copy};
    snprintf(item->name, sizeof item->name, "%s", name);
    return 0;
}

const struct held *held_find(const struct held_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

void held_drop(struct held_list *list, size_t index)
{
    free(list->items[index].original);
    list->count--;
    memmove(&list->items[index], &list->items[index + 1], (list->count - index) * sizeof list->items[0]);
}

void held_free(struct held_list *list)
{
    while (list->count)
        held_drop(list, list->count - 1);
    free(list->items);
    list->items = NULL;
}
