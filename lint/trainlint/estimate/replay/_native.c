/* SPDX-FileCopyrightText: 2026 The trainlint authors
 * SPDX-License-Identifier: MIT
 *
 * The caching allocator's replay, compiled: pure_replay.py says what it does, and the two give the same figures
 * (tests/estimate/replay/test_capacity_replay.py, tests/cli/test_engines.py). Sizes and addresses are in units
 * of 512 bytes. A chunk is a row of a table and knows its neighbors in its segment; the free ones of a pool are
 * sorted by (size, address). With expandable segments it is expandable.py that says what it does: each pool has
 * one segment, which grows at its end by pages.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#ifndef SOURCE
#define SOURCE 0 /* crc32 of this file, by which native_replay.py knows a form of another one (hatch_build.py) */
#endif
#define UNIT 512
#define MIB (1048576 / UNIT)
#define SMALL_REQUEST MIB
#define SMALL_SEGMENT (2 * MIB)
#define LARGE_SEGMENT (20 * MIB)
#define LARGE_REQUEST (10 * MIB)
#define LARGE_ROUNDING (2 * MIB)
#define MOST_BYTES ((int64_t)1 << 48) /* of one request: replay_engine.MOST_BYTES */
#define MOST_STREAMS 64
#define ROW_BITS 24
#define MOST_ROWS (1 << ROW_BITS)
#define MOST_UNITS ((int64_t)1 << (63 - ROW_BITS)) /* of a chunk */
#define NONE (-1)

enum outcome { DONE, FULL, OUT_OF_MEMORY, ERROR };

typedef struct {
    int64_t size;
    int32_t pool; /* even: large requests of a stream, odd: its small ones */
} Slot;

typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    int32_t pools;
    int expandable;
    Slot *slots;
} Slots;

typedef struct {
    int64_t address, size;
    int32_t previous, next; /* neighbours in the segment; `next` of a row that is not used: the next such row */
    int32_t pool;
    int32_t is_free;
} Chunk;

typedef uint64_t Free; /* a chunk's size and, in the last ROW_BITS, its row: short, since many are moved */

typedef struct {
    Free *free;
    Py_ssize_t count, room;
    int64_t end; /* of an expandable segment: its first address that was never mapped */
    int32_t last; /* the chunk that ends there, NONE where its pages are not mapped any more */
} Pool;

typedef struct {
    PyObject_HEAD
    Slots *slots;
    int64_t limit, used, peak, end, needed; /* limit: NONE where nothing limits it */
    int grow, stop;
    Chunk *chunks;
    int32_t count, room, vacant;
    int32_t *held; /* by slot */
    Pool *pools;
} Replay;

static PyObject *out_of_memory; /* allocator.OutOfMemory */
static PyTypeObject *replay_type, *slots_type;

/* ---- the free chunks of a pool ---- */

static Free packed(int64_t size, int32_t row)
{
    return (Free)size << ROW_BITS | (Free)row;
}

static int32_t row_of(Free one)
{
    return (int32_t)(one & (MOST_ROWS - 1));
}

/* Return the first of the free ones, between `low` and `high`, that is as large. */
static Py_ssize_t as_large(const Pool *pool, int64_t size, Py_ssize_t low, Py_ssize_t high)
{
    Free least = packed(size, 0);
    const Free *from = pool->free + low;
    Py_ssize_t count = high - low;
    while (count > 0) { /* without a branch, which nobody could foresee */
        Py_ssize_t half = (count + 1) >> 1;
        from += half & -(Py_ssize_t)(from[half - 1] < least);
        count -= half;
    }
    return from - pool->free;
}

/* Say whether a free one is of this size, at a lower address. */
static int is_before(Free one, const Chunk *chunks, int64_t size, int64_t address)
{
    return (int64_t)(one >> ROW_BITS) == size && chunks[row_of(one)].address < address;
}

/* Return where a size and address belong among the free ones, which is between `low` and `high`. */
static inline Py_ssize_t find(const Pool *pool, const Chunk *chunks, int64_t size, int64_t address,
                              Py_ssize_t low, Py_ssize_t high)
{
    Py_ssize_t step = 1;
    low = as_large(pool, size, low, high);
    while (low < high && is_before(pool->free[low], chunks, size, address)) { /* mostly few are as large */
        low++;
        if (low + step < high && is_before(pool->free[low + step], chunks, size, address)) {
            low += step;
            step *= 2;
        } else {
            step = 1;
        }
    }
    return low;
}

/* Move free ones by a place: mostly there are none, which is not worth a call. */
static void shift(Free *to, const Free *from, Py_ssize_t count)
{
    if (count)
        memmove(to, from, (size_t)count * sizeof(Free));
}

static inline int insert(Replay *self, int32_t number)
{
    Chunk *chunk = &self->chunks[number];
    Pool *pool = &self->pools[chunk->pool];
    if (pool->count == pool->room) {
        Py_ssize_t room = pool->room ? 2 * pool->room : 64;
        Free *more = PyMem_Realloc(pool->free, (size_t)room * sizeof(Free));
        if (more == NULL) {
            PyErr_NoMemory();
            return ERROR;
        }
        pool->free = more;
        pool->room = room;
    }
    Py_ssize_t at = find(pool, self->chunks, chunk->size, chunk->address, 0, pool->count);
    shift(&pool->free[at + 1], &pool->free[at], pool->count - at);
    pool->free[at] = packed(chunk->size, number);
    pool->count++;
    chunk->is_free = 1;
    return DONE;
}

static void take_out(Pool *pool, Py_ssize_t at)
{
    pool->count--;
    shift(&pool->free[at], &pool->free[at + 1], pool->count - at);
}

/* A free chunk became larger: put it where it belongs now, which mostly is where it was. */
static void move_on(Pool *pool, Py_ssize_t at, const Chunk *chunks, int32_t number)
{
    const Chunk *chunk = &chunks[number];
    if (at + 1 < pool->count && pool->free[at + 1] < packed(chunk->size + 1, 0)) {
        Py_ssize_t to = find(pool, chunks, chunk->size, chunk->address, at + 1, pool->count) - 1;
        shift(&pool->free[at], &pool->free[at + 1], to - at);
        at = to;
    }
    pool->free[at] = packed(chunk->size, number);
}

/* A free chunk became smaller, and another one is what is left of it: put that where it belongs. */
static void move_back(Pool *pool, Py_ssize_t at, const Chunk *chunks, int32_t number)
{
    const Chunk *chunk = &chunks[number];
    if (at && pool->free[at - 1] >= packed(chunk->size, 0)) {
        Py_ssize_t to = find(pool, chunks, chunk->size, chunk->address, 0, at);
        shift(&pool->free[to + 1], &pool->free[to], at - to);
        at = to;
    }
    pool->free[at] = packed(chunk->size, number);
}

/* ---- the table of chunks ---- */

static int32_t row(Replay *self)
{
    int32_t number = self->vacant;
    if (number != NONE) {
        self->vacant = self->chunks[number].next;
        return number;
    }
    if (self->count == self->room) {
        if (self->room > MOST_ROWS / 2) {
            PyErr_NoMemory();
            return NONE;
        }
        int32_t room = self->room ? 2 * self->room : 256;
        Chunk *more = PyMem_Realloc(self->chunks, (size_t)room * sizeof(Chunk));
        if (more == NULL) {
            PyErr_NoMemory();
            return NONE;
        }
        self->chunks = more;
        self->room = room;
    }
    return self->count++;
}

static void give_back(Replay *self, int32_t number)
{
    self->chunks[number].next = self->vacant;
    self->vacant = number;
}

/* ---- segments ---- */

static int64_t page_of(int32_t pool)
{
    return pool & 1 ? SMALL_SEGMENT : LARGE_SEGMENT;
}

/* Unmap the whole pages inside a free chunk that is in no list now; what is left on either side is free. */
static int unmap(Replay *self, int32_t number)
{
    Chunk chunk = self->chunks[number];
    Pool *pool = &self->pools[chunk.pool];
    int64_t page = page_of(chunk.pool), stop = chunk.address + chunk.size;
    int64_t first = (chunk.address + page - 1) / page * page, last = stop / page * page;
    int32_t left = NONE, right = NONE;
    self->used -= last - first;
    if (pool->last == number)
        pool->end = first; /* where it ends is where a page does, so nothing is left on the right */
    if (first > chunk.address) {
        left = number;
        self->chunks[left].size = first - chunk.address;
        self->chunks[left].next = NONE;
    } else {
        give_back(self, number);
    }
    if (stop > last) {
        right = row(self);
        if (right == NONE)
            return ERROR;
        self->chunks[right] = (Chunk){last, stop - last, NONE, chunk.next, chunk.pool, 1};
    }
    if (pool->last == number)
        pool->last = left != NONE ? left : chunk.previous;
    if (chunk.previous != NONE)
        self->chunks[chunk.previous].next = left;
    if (chunk.next != NONE)
        self->chunks[chunk.next].previous = right;
    if (left != NONE && insert(self, left) != DONE)
        return ERROR;
    return right != NONE ? insert(self, right) : DONE;
}

/* Unmap what is free in expandable segments. */
static int unmap_all(Replay *self)
{
    for (int32_t each = 0; each < self->slots->pools; each++) {
        Pool *pool = &self->pools[each];
        int64_t page = page_of(each);
        Py_ssize_t kept = 0, gone = 0;
        int32_t *numbers = PyMem_Malloc((size_t)(pool->count + 1) * sizeof(int32_t));
        int outcome = DONE;
        if (numbers == NULL) {
            PyErr_NoMemory();
            return ERROR;
        }
        for (Py_ssize_t at = 0; at < pool->count; at++) {
            Free one = pool->free[at];
            const Chunk *chunk = &self->chunks[row_of(one)];
            if ((chunk->address + page - 1) / page < (chunk->address + chunk->size) / page)
                numbers[gone++] = row_of(one);
            else
                pool->free[kept++] = one;
        }
        pool->count = kept;
        for (Py_ssize_t at = 0; at < gone && outcome == DONE; at++)
            outcome = unmap(self, numbers[at]);
        PyMem_Free(numbers);
        if (outcome != DONE)
            return outcome;
    }
    return DONE;
}

static int release(Replay *self)
{
    if (self->slots->expandable)
        return unmap_all(self);
    for (int32_t each = 0; each < self->slots->pools; each++) {
        Pool *pool = &self->pools[each];
        Py_ssize_t left = 0;
        for (Py_ssize_t at = 0; at < pool->count; at++) {
            Free one = pool->free[at];
            const Chunk *chunk = &self->chunks[row_of(one)];
            if (chunk->previous == NONE && chunk->next == NONE) {
                self->used -= chunk->size;
                give_back(self, row_of(one));
            } else {
                pool->free[left++] = one;
            }
        }
        pool->count = left;
    }
    return DONE;
}

static int64_t segment(int64_t size)
{
    if (size <= SMALL_REQUEST)
        return SMALL_SEGMENT;
    if (size < LARGE_REQUEST)
        return LARGE_SEGMENT;
    return (size + LARGE_ROUNDING - 1) / LARGE_ROUNDING * LARGE_ROUNDING;
}

/* Return what has to be reserved for a request: a segment, or the pages that its end lacks. */
static int64_t lacking(const Replay *self, int64_t size, int32_t number)
{
    const Pool *pool = &self->pools[number];
    int64_t page = page_of(number);
    if (!self->slots->expandable)
        return segment(size);
    if (pool->last != NONE && self->chunks[pool->last].is_free)
        size -= self->chunks[pool->last].size;
    return (size + page - 1) / page * page;
}

/* Map pages at the end of an expandable segment; its last chunk, if free, takes them in. */
static int grow(Replay *self, int64_t whole, int32_t kind, int32_t *number)
{
    Pool *pool = &self->pools[kind];
    int32_t last = pool->last;
    if (last != NONE && self->chunks[last].is_free) {
        Chunk *chunk = &self->chunks[last];
        take_out(pool, find(pool, self->chunks, chunk->size, chunk->address, 0, pool->count));
        chunk->is_free = 0;
        chunk->size += whole;
        *number = last;
    } else {
        *number = row(self);
        if (*number == NONE)
            return ERROR;
        self->chunks[*number] = (Chunk){pool->end, whole, last, NONE, kind, 0};
        if (last != NONE)
            self->chunks[last].next = *number;
        pool->last = *number;
    }
    pool->end += whole;
    return DONE;
}

/* Reserve a segment or pages for a request; the chunk that has them, now not free, is put into `*number`. */
static int more(Replay *self, int64_t size, int32_t pool, int32_t *number)
{
    int64_t whole = lacking(self, size, pool);
    if (self->limit != NONE && self->used + whole > self->limit) {
        if (self->stop)
            return FULL;
        if (release(self) != DONE)
            return ERROR;
        whole = lacking(self, size, pool);
        if (self->used + whole > self->limit) {
            if (!self->grow) {
                self->needed = self->used + whole;
                return OUT_OF_MEMORY;
            }
            self->limit = self->used + whole;
        }
    }
    if (self->end > INT64_MAX / 4
        || (self->slots->expandable && self->pools[pool].end + whole >= MOST_UNITS)) {
        PyErr_SetString(PyExc_OverflowError, "more segments than there are addresses");
        return ERROR;
    }
    self->used += whole;
    if (self->peak < self->used)
        self->peak = self->used;
    self->end += whole;
    if (self->slots->expandable)
        return grow(self, whole, pool, number);
    *number = row(self);
    if (*number == NONE)
        return ERROR;
    self->chunks[*number] = (Chunk){self->end - whole, whole, NONE, NONE, pool, 0};
    return DONE;
}

/* ---- events ---- */

static inline int split(Replay *self, int32_t number, int64_t size, int32_t *rest)
{
    *rest = row(self);
    if (*rest == NONE)
        return ERROR;
    Chunk *chunk = &self->chunks[number];
    self->chunks[*rest] =
        (Chunk){chunk->address + size, chunk->size - size, number, chunk->next, chunk->pool, 1};
    if (chunk->next != NONE)
        self->chunks[chunk->next].previous = *rest;
    else if (self->pools[chunk->pool].last == number)
        self->pools[chunk->pool].last = *rest;
    chunk->next = *rest;
    chunk->size = size;
    return DONE;
}

static int allocate(Replay *self, Py_ssize_t slot)
{
    int64_t size = self->slots->slots[slot].size;
    int32_t kind = self->slots->slots[slot].pool, number, rest;
    int64_t least = kind & 1 || self->slots->expandable ? 1 : SMALL_REQUEST + 1;
    Pool *pool = &self->pools[kind];
    Py_ssize_t at = as_large(pool, size, 0, pool->count);
    if (at == pool->count) {
        int outcome = more(self, size, kind, &number);
        if (outcome != DONE)
            return outcome;
        if (self->chunks[number].size - size >= least
            && (split(self, number, size, &rest) != DONE || insert(self, rest) != DONE))
            return ERROR;
    } else {
        number = row_of(pool->free[at]);
        if (self->chunks[number].size - size >= least) {
            if (split(self, number, size, &rest) != DONE)
                return ERROR;
            move_back(pool, at, self->chunks, rest);
        } else {
            take_out(pool, at);
        }
        self->chunks[number].is_free = 0;
    }
    self->held[slot] = number;
    return DONE;
}

static int let_go(Replay *self, Py_ssize_t slot)
{
    int32_t number = self->held[slot];
    if (number == NONE) {
        PyErr_SetString(PyExc_ValueError, "what is not allocated is freed");
        return ERROR;
    }
    self->held[slot] = NONE;
    Chunk *chunks = self->chunks, *chunk = &chunks[number];
    Pool *pool = &self->pools[chunk->pool];
    int32_t before = chunk->previous, after = chunk->next;
    Py_ssize_t at = NONE; /* of a free neighbour, whose place it takes */
    if (before != NONE && chunks[before].is_free) {
        at = find(pool, chunks, chunks[before].size, chunks[before].address, 0, pool->count);
        chunk->address = chunks[before].address;
        chunk->size += chunks[before].size;
        chunk->previous = chunks[before].previous;
        if (chunk->previous != NONE)
            chunks[chunk->previous].next = number;
        give_back(self, before);
    }
    if (after != NONE && chunks[after].is_free) {
        Py_ssize_t other = find(pool, chunks, chunks[after].size, chunks[after].address, 0, pool->count);
        if (at != NONE) {
            take_out(pool, other > at ? at : other);
            at = other > at ? other - 1 : at - 1;
        } else {
            at = other;
        }
        chunk->size += chunks[after].size;
        chunk->next = chunks[after].next;
        if (chunk->next != NONE)
            chunks[chunk->next].previous = number;
        else if (pool->last == after)
            pool->last = number;
        give_back(self, after);
    }
    if (at == NONE)
        return insert(self, number);
    chunk->is_free = 1;
    move_on(pool, at, chunks, number);
    return DONE;
}

/* Allocate and free at once: where a chunk is large enough, nothing changes. */
static int pass(Replay *self, Py_ssize_t slot)
{
    const Slot *asked = &self->slots->slots[slot];
    const Pool *pool = &self->pools[asked->pool];
    int32_t number;
    if (pool->count && pool->free[pool->count - 1] >= packed(asked->size, 0))
        return DONE;
    int outcome = more(self, asked->size, asked->pool, &number);
    return outcome == DONE ? insert(self, number) : outcome;
}

static int play(Replay *self, int64_t event)
{
    Py_ssize_t slots = self->slots->count, slot = (Py_ssize_t)(event < 0 ? ~event : event);
    int passing = event >= slots;
    if (passing)
        slot -= slots;
    if (slot >= slots) {
        PyErr_SetString(PyExc_IndexError, "an event of no slot");
        return ERROR;
    }
    if (!self->slots->slots[slot].size)
        return DONE;
    if (event < 0)
        return let_go(self, slot);
    return passing ? pass(self, slot) : allocate(self, slot);
}

/* ---- Slots ---- */

static int items(PyObject *given, Py_buffer *view, Py_ssize_t size)
{
    if (PyObject_GetBuffer(given, view, PyBUF_C_CONTIGUOUS) < 0)
        return -1;
    if (view->len % size == 0)
        return 0;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_ValueError, "an array of other items");
    return -1;
}

/* Return the slots of these rows. */
static Slots *slots_of(PyTypeObject *type, const Py_buffer *sizes, const Py_buffer *streams, const Py_buffer *rows)
{
    Py_ssize_t kinds = sizes->len / 8, count = rows->len / 4;
    if (streams->len / 4 != kinds) {
        PyErr_SetString(PyExc_ValueError, "as many sizes as streams");
        return NULL;
    }
    Slots *self = (Slots *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL)
        return NULL;
    self->count = count;
    self->slots = PyMem_Malloc((size_t)(count + 1) * sizeof(Slot));
    if (self->slots == NULL) {
        PyErr_NoMemory();
        Py_DECREF(self);
        return NULL;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        int32_t row = ((const int32_t *)rows->buf)[at];
        if (row < 0 || row >= kinds) {
            PyErr_SetString(PyExc_IndexError, "a slot of no row");
            Py_DECREF(self);
            return NULL;
        }
        int64_t size = ((const int64_t *)sizes->buf)[row];
        int32_t stream = ((const int32_t *)streams->buf)[row];
        if (size < 0 || size > MOST_BYTES || stream < 0 || stream >= MOST_STREAMS) {
            PyErr_SetString(PyExc_OverflowError, "a size or a stream that is not replayed");
            Py_DECREF(self);
            return NULL;
        }
        int32_t pool = 2 * stream + (size / UNIT <= SMALL_REQUEST);
        self->slots[at] = (Slot){size / UNIT, pool};
        if (self->pools <= pool)
            self->pools = pool + 1;
    }
    return self;
}

static PyObject *slots_new(PyTypeObject *type, PyObject *args, PyObject *options)
{
    PyObject *given[3];
    Py_buffer views[3];
    static const Py_ssize_t widths[3] = {8, 4, 4};
    Slots *self = NULL;
    int expandable = 0, held = 0;
    (void)options;
    if (!PyArg_ParseTuple(args, "OOO|p", &given[0], &given[1], &given[2], &expandable))
        return NULL;
    while (held < 3 && items(given[held], &views[held], widths[held]) == 0)
        held++;
    if (held == 3)
        self = slots_of(type, &views[0], &views[1], &views[2]);
    if (self != NULL)
        self->expandable = expandable;
    while (held-- > 0)
        PyBuffer_Release(&views[held]);
    return (PyObject *)self;
}

static void slots_dealloc(Slots *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyMem_Free(self->slots);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- Replay ---- */

static Replay *blank(Slots *slots, PyObject *limit, int grow, int stop)
{
    int64_t most = NONE;
    if (limit != Py_None) {
        most = PyLong_AsLongLong(limit);
        if (most == -1 && PyErr_Occurred())
            return NULL;
        if (most < 0) {
            PyErr_SetString(PyExc_ValueError, "a limit below nothing");
            return NULL;
        }
    }
    Replay *self = (Replay *)((allocfunc)PyType_GetSlot(replay_type, Py_tp_alloc))(replay_type, 0);
    if (self == NULL)
        return NULL;
    Py_INCREF((PyObject *)slots);
    self->slots = slots;
    self->limit = most;
    self->grow = grow;
    self->stop = stop;
    self->vacant = NONE;
    self->held = PyMem_Malloc((size_t)(slots->count + 1) * sizeof(int32_t));
    self->pools = PyMem_Calloc((size_t)(slots->pools + 1), sizeof(Pool));
    if (self->held == NULL || self->pools == NULL) {
        Py_DECREF(self);
        PyErr_NoMemory();
        return NULL;
    }
    for (int32_t pool = 0; pool < slots->pools; pool++)
        self->pools[pool].last = NONE;
    return self;
}

static PyObject *replay_new(PyTypeObject *type, PyObject *args, PyObject *options)
{
    static char *names[] = {"slots", "limit", "grow", "stop", NULL};
    PyObject *slots, *limit;
    int grow = 0, stop = 0;
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, options, "O!O|$pp", names, slots_type, &slots, &limit, &grow, &stop))
        return NULL;
    Replay *self = blank((Slots *)slots, limit, grow, stop);
    if (self != NULL)
        for (Py_ssize_t slot = 0; slot < self->slots->count; slot++)
            self->held[slot] = NONE;
    return (PyObject *)self;
}

static void replay_dealloc(Replay *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (self->pools != NULL)
        for (int32_t pool = 0; pool < self->slots->pools; pool++)
            PyMem_Free(self->pools[pool].free);
    PyMem_Free(self->pools);
    PyMem_Free(self->chunks);
    PyMem_Free(self->held);
    Py_XDECREF((PyObject *)self->slots);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *replay_copy(Replay *self, PyObject *args, PyObject *options)
{
    static char *names[] = {"limit", "grow", "stop", NULL};
    PyObject *limit;
    int grow = 0, stop = 0;
    if (!PyArg_ParseTupleAndKeywords(args, options, "O|$pp", names, &limit, &grow, &stop))
        return NULL;
    Replay *other = blank(self->slots, limit, grow, stop);
    if (other == NULL)
        return NULL;
    other->used = self->used;
    other->peak = self->peak;
    other->end = self->end;
    memcpy(other->held, self->held, (size_t)self->slots->count * sizeof(int32_t));
    other->chunks = PyMem_Malloc((size_t)(self->count + 1) * sizeof(Chunk));
    if (other->chunks == NULL)
        goto no_memory;
    if (self->count)
        memcpy(other->chunks, self->chunks, (size_t)self->count * sizeof(Chunk));
    other->count = self->count;
    other->room = self->count + 1;
    other->vacant = self->vacant;
    for (int32_t each = 0; each < self->slots->pools; each++) {
        const Pool *from = &self->pools[each];
        Pool *to = &other->pools[each];
        to->end = from->end;
        to->last = from->last;
        if (!from->count)
            continue;
        to->free = PyMem_Malloc((size_t)from->count * sizeof(Free));
        if (to->free == NULL)
            goto no_memory;
        memcpy(to->free, from->free, (size_t)from->count * sizeof(Free));
        to->count = to->room = from->count;
    }
    return (PyObject *)other;
no_memory:
    Py_DECREF(other);
    return PyErr_NoMemory();
}

static PyObject *replay_run(Replay *self, PyObject *args)
{
    PyObject *given;
    Py_buffer view;
    Py_ssize_t first, last;
    if (!PyArg_ParseTuple(args, "Onn", &given, &first, &last) || items(given, &view, 4) < 0)
        return NULL;
    const int32_t *events = view.buf;
    int outcome = DONE;
    if (first < 0 || last < first || last > view.len / 4) {
        PyErr_SetString(PyExc_IndexError, "events that are not there");
        outcome = ERROR;
    }
    while (outcome == DONE && first < last)
        outcome = play(self, events[first++]);
    first -= outcome != DONE; /* that event did not happen */
    PyBuffer_Release(&view);
    if (outcome == OUT_OF_MEMORY) {
        PyObject *error = PyObject_CallFunction(out_of_memory, "L", (long long)self->needed * UNIT);
        if (error != NULL) {
            PyErr_SetObject(out_of_memory, error);
            Py_DECREF(error);
        }
        return NULL;
    }
    return outcome == ERROR ? NULL : PyLong_FromSsize_t(first);
}

static PyObject *replay_empty_cache(Replay *self, PyObject *none)
{
    (void)none;
    if (release(self) != DONE)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *get_peak(Replay *self, void *none)
{
    (void)none;
    return PyLong_FromLongLong(self->peak);
}

static PyObject *get_peak_reserved(Replay *self, void *none)
{
    (void)none;
    return PyLong_FromLongLong(self->peak * UNIT);
}

static PyObject *get_capacity(Replay *self, void *none)
{
    (void)none;
    if (self->limit == NONE)
        Py_RETURN_NONE;
    return PyLong_FromLongLong(self->limit * UNIT);
}

/* ---- the module ---- */

static PyMethodDef replay_methods[] = {
    {"copy", (PyCFunction)(void (*)(void))replay_copy, METH_VARARGS | METH_KEYWORDS, NULL},
    {"run", (PyCFunction)replay_run, METH_VARARGS, NULL},
    {"empty_cache", (PyCFunction)replay_empty_cache, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef replay_figures[] = {
    {"peak", (getter)get_peak, NULL, NULL, NULL},
    {"peak_reserved", (getter)get_peak_reserved, NULL, NULL, NULL},
    {"capacity", (getter)get_capacity, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot replay_slots[] = {
    {Py_tp_new, replay_new},
    {Py_tp_dealloc, replay_dealloc},
    {Py_tp_methods, replay_methods},
    {Py_tp_getset, replay_figures},
    {0, NULL},
};

static PyType_Slot slots_slots[] = {
    {Py_tp_new, slots_new},
    {Py_tp_dealloc, slots_dealloc},
    {0, NULL},
};

static PyType_Spec replay_spec = {
    "trainlint.estimate.replay._native.Replay", sizeof(Replay), 0, Py_TPFLAGS_DEFAULT, replay_slots,
};

static PyType_Spec slots_spec = {
    "trainlint.estimate.replay._native.Slots", sizeof(Slots), 0, Py_TPFLAGS_DEFAULT, slots_slots,
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *allocator = PyImport_ImportModule("trainlint.estimate.replay.allocator");
    if (allocator == NULL)
        return NULL;
    out_of_memory = PyObject_GetAttrString(allocator, "OutOfMemory");
    Py_DECREF(allocator);
    PyObject *module = PyModule_Create(&definition), *source = PyLong_FromUnsignedLong(SOURCE);
    if (out_of_memory == NULL || module == NULL || source == NULL
        || PyModule_AddObjectRef(module, "SOURCE", source) < 0)
        goto failed;
    Py_CLEAR(source);
    slots_type = (PyTypeObject *)PyType_FromSpec(&slots_spec);
    replay_type = (PyTypeObject *)PyType_FromSpec(&replay_spec);
    if (slots_type == NULL || replay_type == NULL || PyModule_AddType(module, slots_type) < 0
        || PyModule_AddType(module, replay_type) < 0)
        goto failed;
    return module;
failed:
    Py_XDECREF(source);
    Py_XDECREF(module);
    return NULL;
}
