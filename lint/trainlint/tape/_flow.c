/* SPDX-FileCopyrightText: 2026 The trainlint authors
 * SPDX-License-Identifier: MIT
 *
 * The loops over a tape's events, compiled: pure_flow.py says what each does, and the two give the same
 * (tests/tape/test_flow.py). Columns come in as buffers of 32-bit numbers and go out as their bytes.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef SOURCE
#define SOURCE 0 /* crc32 of this file, by which native_flow.py knows a form of another one (hatch_build.py) */
#endif
#define NO_EVENT INT32_MIN /* pure_flow.NO_EVENT */
#define FLUSH 1 /* and what else pure_flow.py says that happens at a moment */
#define PASS 2
#define GIVE 3
#define RETURN 5
#define DATA 1 /* pure_flow.py says of which gradient */
#define WEIGHT 2
#define BIAS 3
#define NONE (-1)
#define DIGITS 18 /* of a whole number that surely has 64 bits */
#define MOST ((int64_t)1 << 61) /* bytes that are still summed here */

typedef struct {
    Py_buffer view;
    const int32_t *at;
    Py_ssize_t count;
} Column;

/* ---- what comes in and goes out ---- */

static void let_go(Column *columns, int count)
{
    while (count-- > 0)
        PyBuffer_Release(&columns[count].view);
}

/* Fill columns from buffers, all or none. */
static int columns_of(PyObject **given, Column *columns, int count)
{
    for (int each = 0; each < count; each++) {
        Column *column = &columns[each];
        if (PyObject_GetBuffer(given[each], &column->view, PyBUF_C_CONTIGUOUS) < 0) {
            let_go(columns, each);
            return -1;
        }
        column->at = column->view.buf;
        column->count = column->view.len / (Py_ssize_t)sizeof(int32_t);
        if (column->view.len % (Py_ssize_t)sizeof(int32_t)) {
            let_go(columns, each + 1);
            PyErr_SetString(PyExc_ValueError, "a column of other items");
            return -1;
        }
    }
    return 0;
}

static PyObject *bytes_of(const int32_t *numbers, Py_ssize_t count)
{
    return PyBytes_FromStringAndSize((const char *)numbers, count * (Py_ssize_t)sizeof(int32_t));
}

static int32_t *numbers_for(Py_ssize_t count)
{
    int32_t *found = PyMem_Malloc((size_t)(count + 1) * sizeof(int32_t));
    if (found == NULL)
        PyErr_NoMemory();
    return found;
}

static int32_t *filled(Py_ssize_t count, int32_t with)
{
    int32_t *found = numbers_for(count);
    for (Py_ssize_t at = 0; found != NULL && at < count; at++)
        found[at] = with;
    return found;
}

static PyObject *out_of_bounds(void)
{
    PyErr_SetString(PyExc_IndexError, "a number of no row");
    return NULL;
}

/* ---- a tape's file ---- */

typedef struct {
    const char *at, *end; /* what is left of the text, without a line end or space between its parts */
} Text;

static int next_is(Text *text, char letter)
{
    if (text->at == text->end || *text->at != letter)
        return 0;
    text->at++;
    return 1;
}

/* Return a text of plain ASCII; NULL without an error where it is another. */
static PyObject *word(Text *text)
{
    if (!next_is(text, '"'))
        return NULL;
    const char *first = text->at;
    while (text->at < text->end && *text->at >= ' ' && *text->at < 127 && *text->at != '"' && *text->at != '\\')
        text->at++;
    Py_ssize_t count = text->at - first;
    return next_is(text, '"') ? PyUnicode_FromStringAndSize(first, count) : NULL;
}

/* Read a whole number of up to DIGITS digits; 0 where there is none. */
static int number(Text *text, int64_t *found)
{
    int negative = next_is(text, '-');
    const char *first = text->at;
    int64_t sum = 0;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9' && text->at - first < DIGITS)
        sum = 10 * sum + (*text->at++ - '0');
    Py_ssize_t count = text->at - first;
    *found = negative ? -sum : sum;
    return count > 0 && (count == 1 || *first != '0');
}

/* Return the bytes of a list's numbers of 32 bits, or a list where one has more; NULL as `word`. */
static PyObject *numbers_in(Text *text)
{
    const char *first = text->at;
    Py_ssize_t room = 1;
    int64_t each;
    for (const char *at = first; at < text->end && *at != ']'; at++)
        room += *at == ',';
    int32_t *numbers = numbers_for(room);
    Py_ssize_t count = 0;
    if (numbers == NULL)
        return NULL;
    PyObject *found = NULL, *one;
    int narrow = 1;
    do {
        if (!number(text, &each))
            goto end;
        narrow = each >= INT32_MIN && each <= INT32_MAX;
        if (narrow)
            numbers[count++] = (int32_t)each;
    } while (narrow && next_is(text, ','));
    if (narrow && next_is(text, ']')) {
        found = bytes_of(numbers, count);
        goto end;
    }
    text->at = first;
    if ((found = PyList_New(0)) == NULL)
        goto end;
    do {
        if (!number(text, &each)) {
            Py_CLEAR(found);
            goto end;
        }
        if ((one = PyLong_FromLongLong(each)) == NULL || PyList_Append(found, one) < 0)
            Py_CLEAR(found);
        Py_XDECREF(one);
    } while (found != NULL && next_is(text, ','));
    if (found != NULL && !next_is(text, ']'))
        Py_CLEAR(found);
end:
    PyMem_Free(numbers);
    return found;
}

static PyObject *words_in(Text *text)
{
    PyObject *found = PyList_New(0), *one;
    if (found == NULL)
        return NULL;
    do {
        if ((one = word(text)) == NULL || PyList_Append(found, one) < 0)
            Py_CLEAR(found);
        Py_XDECREF(one);
    } while (found != NULL && next_is(text, ','));
    if (found != NULL && !next_is(text, ']'))
        Py_CLEAR(found);
    return found;
}

static PyObject *list_in(Text *text)
{
    if (!next_is(text, '['))
        return NULL;
    if (next_is(text, ']'))
        return PyList_New(0);
    return text->at < text->end && *text->at == '"' ? words_in(text) : numbers_in(text);
}

/* Return an object of texts, lists and, as deep as is said, of objects; NULL as `word`. */
static PyObject *object_in(Text *text, int deep)
{
    if (!next_is(text, '{'))
        return NULL;
    PyObject *found = PyDict_New(), *name, *value;
    if (found == NULL || next_is(text, '}'))
        return found;
    do {
        name = word(text);
        value = NULL;
        if (name != NULL && next_is(text, ':') && text->at < text->end)
            value = *text->at == '"' ? word(text)
                : *text->at == '[' ? list_in(text)
                : deep ? object_in(text, deep - 1)
                       : NULL;
        if (value == NULL || PyDict_SetItem(found, name, value) < 0)
            Py_CLEAR(found);
        Py_XDECREF(name);
        Py_XDECREF(value);
    } while (found != NULL && next_is(text, ','));
    if (found != NULL && !next_is(text, '}'))
        Py_CLEAR(found);
    return found;
}

static PyObject *tables(PyObject *self, PyObject *args)
{
    Text text;
    Py_ssize_t count;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#", &text.at, &count))
        return NULL;
    text.end = text.at + count;
    PyObject *found = object_in(&text, 1);
    if (found != NULL && text.at != text.end)
        Py_CLEAR(found);
    if (found == NULL && PyErr_Occurred() == NULL) {
        found = Py_None;
        Py_INCREF(found);
    }
    return found;
}

/* Columns of the events of loops: pure_flow.rounds says which. */
static PyObject *rounds(PyObject *self, PyObject *args)
{
    PyObject *given[4], *found = NULL;
    Column columns[4];
    const char *order;
    Py_ssize_t count, events = 0, sizes[5] = {0, 0, 0, 0, 0};
    int width, layers;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#OOOO(ii)", &order, &count, &given[0], &given[1], &given[2], &given[3], &width, &layers)
        || columns_of(given, columns, 4) < 0)
        return NULL;
    const Column *spans = &columns[3];
    int32_t *out[4] = {NULL, NULL, NULL, NULL};
    char *letters = NULL;
    for (int each = 0; each < 3; each++)
        if (columns[each].count != count) {
            out_of_bounds();
            goto end;
        }
    for (Py_ssize_t span = 0; span + 2 < spans->count; span += 3) {
        int32_t first = spans->at[span], last = spans->at[span + 1];
        if (first < 0 || last < first || last > count) {
            out_of_bounds();
            goto end;
        }
        events += last - first;
    }
    letters = PyMem_Malloc((size_t)events + 1);
    for (int each = 0; each < 4; each++)
        if ((out[each] = numbers_for(events)) == NULL)
            goto end;
    if (letters == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    for (Py_ssize_t span = 0; span + 2 < spans->count; span += 3)
        for (int32_t at = spans->at[span]; at < spans->at[span + 1]; at++) {
            int64_t grown = columns[1].at[at] + (int64_t)columns[2].at[at] * spans->at[span + 2];
            int32_t row = columns[0].at[at];
            char letter = order[at];
            if (letter == 'A' ? row < 0 || row >= width || grown < 0 || grown >= layers
                              : grown < INT32_MIN || grown > INT32_MAX) {
                out_of_bounds();
                goto end;
            }
            letters[sizes[4]++] = letter;
            if (letter == 'A') {
                out[3][sizes[3]++] = (int32_t)grown * width + row;
            } else if (letter == 'F') {
                out[0][sizes[0]++] = (int32_t)grown;
            } else {
                int which = letter == 'O' ? 1 : 2;
                out[which][sizes[which]++] = row;
            }
        }
    found = PyTuple_New(5);
    for (int each = 0; found != NULL && each < 5; each++) {
        PyObject *part = each ? bytes_of(out[each - 1], sizes[each - 1]) : PyBytes_FromStringAndSize(letters, events);
        if (part == NULL || PyTuple_SetItem(found, each, part) < 0)
            Py_CLEAR(found);
    }
end:
    PyMem_Free(letters);
    for (int each = 0; each < 4; each++)
        PyMem_Free(out[each]);
    let_go(columns, 4);
    return found;
}

static PyObject *numbered(PyObject *self, PyObject *args)
{
    PyObject *given[4], *found = NULL;
    Column columns[4];
    const char *order;
    Py_ssize_t count, next[4] = {0, 0, 0, 0};
    (void)self;
    if (!PyArg_ParseTuple(args, "y#OOOO", &order, &count, &given[0], &given[1], &given[2], &given[3])
        || columns_of(given, columns, 4) < 0)
        return NULL;
    int32_t *numbers = numbers_for(count), *living = numbers_for(count);
    Py_ssize_t alive = 0, born = 0;
    int in_order = columns[0].count == 0;
    if (numbers == NULL || living == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < count; at++) {
        int which = order[at] == 'A' ? 0 : order[at] == 'F' ? 1 : order[at] == 'O' ? 2 : 3;
        int32_t number = (int32_t)born;
        if (which || !in_order) {
            if (next[which] == columns[which].count) {
                out_of_bounds();
                goto end;
            }
            number = columns[which].at[next[which]++];
        }
        if (which == 0) {
            Py_ssize_t low = alive;
            if (!in_order) {
                int64_t index = (int64_t)born + number;
                if (index < 0 || index > INT32_MAX) {
                    out_of_bounds();
                    goto end;
                }
                number = (int32_t)index;
                Py_ssize_t high = alive;
                for (low = 0; low < high;) {
                    Py_ssize_t middle = low + (high - low) / 2;
                    if (living[middle] <= number)
                        low = middle + 1;
                    else
                        high = middle;
                }
                memmove(&living[low + 1], &living[low], (size_t)(alive - low) * sizeof(int32_t));
            }
            living[low] = number;
            alive++;
            born++;
        } else if (which == 1) {
            if (number < 1 || number > alive) {
                found = Py_None;
                Py_INCREF(found);
                goto end;
            }
            Py_ssize_t place = alive - number;
            number = living[place];
            alive--;
            memmove(&living[place], &living[place + 1], (size_t)(alive - place) * sizeof(int32_t));
        }
        numbers[at] = number;
    }
    found = bytes_of(numbers, count);
end:
    PyMem_Free(numbers);
    PyMem_Free(living);
    let_go(columns, 4);
    return found;
}

/* ---- one GPU's part of a tape ---- */

static PyObject *course(PyObject *self, PyObject *args)
{
    PyObject *given[3], *found = NULL;
    Column columns[3];
    const char *order;
    int device;
    Py_ssize_t count, first, last, length, events = 0, ran = 0, marked = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#OOOnnin", &order, &count, &given[0], &given[1], &given[2], &first, &last,
                          &device, &length)
        || columns_of(given, columns, 3) < 0)
        return NULL;
    const Column *numbers = &columns[0], *homes = &columns[1], *cards = &columns[2];
    int32_t *program = NULL, *works = NULL, *marks = NULL;
    if (first < 0 || last < first || last > count || numbers->count != count || length < 0
        || length > INT32_MAX / 2) {
        out_of_bounds();
        goto end;
    }
    program = numbers_for(last - first);
    works = numbers_for(2 * (last - first));
    marks = numbers_for(3 * (last - first));
    if (program == NULL || works == NULL || marks == NULL)
        goto end;
    for (Py_ssize_t at = first; at < last; at++) {
        int32_t number = numbers->at[at], here = (int32_t)(length + events);
        const Column *of = order[at] == 'A' || order[at] == 'F' ? homes : order[at] == 'O' ? cards : NULL;
        if (number < 0 || (of != NULL && number >= of->count)) {
            out_of_bounds();
            goto end;
        }
        if (of == NULL) {
            marks[3 * marked] = here;
            marks[3 * marked + 1] = (int32_t)ran;
            marks[3 * marked + 2] = number;
            marked++;
        } else if (of->at[number] == device) {
            if (of == cards) {
                works[2 * ran] = here;
                works[2 * ran + 1] = number;
                ran++;
            } else {
                program[events++] = order[at] == 'A' ? number : ~number;
            }
        }
    }
    PyObject *parts[3] = {bytes_of(program, events), bytes_of(works, 2 * ran), bytes_of(marks, 3 * marked)};
    if (parts[0] != NULL && parts[1] != NULL && parts[2] != NULL)
        found = PyTuple_Pack(3, parts[0], parts[1], parts[2]);
    for (int each = 0; each < 3; each++)
        Py_XDECREF(parts[each]);
end:
    PyMem_Free(program);
    PyMem_Free(works);
    PyMem_Free(marks);
    let_go(columns, 3);
    return found;
}

/* Return one more than the largest number that a program names. */
static Py_ssize_t rows_of(const Column *program)
{
    int32_t most = NONE;
    for (Py_ssize_t at = 0; at < program->count; at++) {
        int32_t event = program->at[at], block = event < 0 ? ~event : event;
        if (most < block)
            most = block;
    }
    return (Py_ssize_t)most + 1;
}

static PyObject *living(PyObject *self, PyObject *given)
{
    PyObject *found = NULL;
    Column program;
    (void)self;
    if (columns_of(&given, &program, 1) < 0)
        return NULL;
    int32_t *born = filled(rows_of(&program), NONE), *alive = numbers_for(program.count);
    Py_ssize_t count = 0;
    if (born == NULL || alive == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < program.count; at++) {
        int32_t event = program.at[at];
        if (event < 0)
            born[~event] = NONE;
        else if (born[event] == NONE)
            born[event] = (int32_t)at;
    }
    for (Py_ssize_t at = 0; at < program.count; at++)
        if (program.at[at] >= 0 && born[program.at[at]] == at)
            alive[count++] = program.at[at];
    found = bytes_of(alive, count);
end:
    PyMem_Free(born);
    PyMem_Free(alive);
    let_go(&program, 1);
    return found;
}

static PyObject *lives(PyObject *self, PyObject *args)
{
    PyObject *given, *found = NULL;
    Column program;
    Py_ssize_t blocks;
    (void)self;
    if (!PyArg_ParseTuple(args, "On", &given, &blocks) || columns_of(&given, &program, 1) < 0)
        return NULL;
    int32_t *born = NULL, *died = NULL;
    if (blocks < rows_of(&program)) {
        out_of_bounds();
        goto end;
    }
    born = filled(blocks, NONE);
    died = filled(blocks, NONE);
    if (born == NULL || died == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < program.count; at++) {
        int32_t event = program.at[at];
        if (event < 0)
            died[~event] = (int32_t)at;
        else
            born[event] = (int32_t)at;
    }
    PyObject *first = bytes_of(born, blocks), *last = bytes_of(died, blocks);
    if (first != NULL && last != NULL)
        found = PyTuple_Pack(2, first, last);
    Py_XDECREF(first);
    Py_XDECREF(last);
end:
    PyMem_Free(born);
    PyMem_Free(died);
    let_go(&program, 1);
    return found;
}

static PyObject *highest(PyObject *self, PyObject *args)
{
    PyObject *given[3], *found = NULL;
    Column columns[3]; /* the sizes are of 64 bits: two of their numbers each */
    long long initial;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOL", &given[0], &given[1], &given[2], &initial)
        || columns_of(given, columns, 3) < 0)
        return NULL;
    const Column *program = &columns[0], *size_of = &columns[1];
    const int64_t *sizes = columns[2].view.buf;
    Py_ssize_t kinds = columns[2].view.len / (Py_ssize_t)sizeof(int64_t), top = 0;
    int64_t live = initial, most = initial;
    for (Py_ssize_t at = 0; at < program->count; at++) {
        int32_t event = program->at[at], block = event < 0 ? ~event : event;
        if (block >= size_of->count || size_of->at[block] < 0 || size_of->at[block] >= kinds) {
            out_of_bounds();
            goto end;
        }
        int64_t size = sizes[size_of->at[block]];
        if (size < 0 || size > MOST || live > MOST || live < -MOST) {
            PyErr_SetString(PyExc_OverflowError, "more bytes than are summed");
            goto end;
        }
        live += event < 0 ? -size : size;
        if (most < live) {
            most = live;
            top = at + 1;
        }
    }
    found = Py_BuildValue("nL", top, (long long)most);
end:
    let_go(columns, 3);
    return found;
}

/* ---- rows of a tape ---- */

static PyObject *spread(PyObject *self, PyObject *args)
{
    PyObject *given[2], *found = NULL;
    Column columns[2];
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &given[0], &given[1]) || columns_of(given, columns, 2) < 0)
        return NULL;
    const Column *rows = &columns[0], *births = &columns[1];
    int32_t *numbers = numbers_for(births->count);
    for (Py_ssize_t at = 0; numbers != NULL && at < births->count; at++) {
        int32_t row = births->at[at];
        if (row < 0 || row >= rows->count) {
            out_of_bounds();
            goto end;
        }
        numbers[at] = rows->at[row];
    }
    if (numbers != NULL)
        found = bytes_of(numbers, births->count);
end:
    PyMem_Free(numbers);
    let_go(columns, 2);
    return found;
}

static PyObject *distinct(PyObject *self, PyObject *given)
{
    PyObject *found = NULL;
    Column rows;
    (void)self;
    if (columns_of(&given, &rows, 1) < 0)
        return NULL;
    int32_t *seen = filled(rows_of(&rows), 0), *numbers = numbers_for(rows.count);
    Py_ssize_t count = 0;
    if (seen == NULL || numbers == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < rows.count; at++) {
        int32_t row = rows.at[at];
        if (row < 0) {
            out_of_bounds();
            goto end;
        }
        if (!seen[row]) {
            seen[row] = 1;
            numbers[count++] = row;
        }
    }
    found = bytes_of(numbers, count);
end:
    PyMem_Free(seen);
    PyMem_Free(numbers);
    let_go(&rows, 1);
    return found;
}

static PyObject *places(PyObject *self, PyObject *args)
{
    PyObject *given[2], *found = NULL;
    Column columns[2];
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &given[0], &given[1]) || columns_of(given, columns, 2) < 0)
        return NULL;
    const Column *rows = &columns[0], *asked = &columns[1];
    Py_ssize_t most = rows_of(asked), count = 0;
    int32_t *wanted = filled(most, 0), *numbers = numbers_for(rows->count);
    if (wanted == NULL || numbers == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < asked->count; at++)
        if (asked->at[at] >= 0)
            wanted[asked->at[at]] = 1;
    for (Py_ssize_t at = 0; at < rows->count; at++) {
        int32_t row = rows->at[at];
        if (row >= 0 && row < most && wanted[row])
            numbers[count++] = (int32_t)at;
    }
    found = bytes_of(numbers, count);
end:
    PyMem_Free(wanted);
    PyMem_Free(numbers);
    let_go(columns, 2);
    return found;
}

/* ---- operators in a program ---- */

static int role_of(const Column *rows, const Column *roles, Py_ssize_t at)
{
    int32_t row = rows->at[at];
    return row >= 0 && row < roles->count ? roles->at[row] : NONE;
}

static PyObject *gradients_first(PyObject *self, PyObject *args)
{
    PyObject *given[4], *found = NULL;
    Column columns[4];
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOO", &given[0], &given[1], &given[2], &given[3])
        || columns_of(given, columns, 4) < 0)
        return NULL;
    const Column *positions = &columns[0], *rows = &columns[1], *program = &columns[2], *roles = &columns[3];
    Py_ssize_t count = rows->count;
    int32_t *places = numbers_for(positions->count);
    if (places == NULL)
        goto end;
    if (positions->count != count) {
        out_of_bounds();
        goto end;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        int32_t position = positions->at[at], before = position - 1;
        int role = role_of(rows, roles, at);
        if (role == NONE || position < 0 || position > program->count) {
            out_of_bounds();
            goto end;
        }
        places[at] = position;
        if (role != DATA || at + 1 == count || positions->at[at + 1] != position
            || role_of(rows, roles, at + 1) != WEIGHT)
            continue;
        before -= at + 2 < count && positions->at[at + 2] == position && role_of(rows, roles, at + 2) == BIAS;
        int born = before >= 0;
        for (int32_t event = before; born && event < position; event++)
            born = program->at[event] >= 0;
        if (born)
            places[at] = before;
    }
    found = bytes_of(places, count);
end:
    PyMem_Free(places);
    let_go(columns, 4);
    return found;
}

/* Take rows, a position for each, and numbers by row; refuse a row of no number. */
static int works_of(PyObject *args, Column *columns)
{
    PyObject *given[3];
    if (!PyArg_ParseTuple(args, "OOO", &given[0], &given[1], &given[2]) || columns_of(given, columns, 3) < 0)
        return -1;
    int sound = columns[0].count == columns[1].count;
    for (Py_ssize_t at = 0; sound && at < columns[0].count; at++)
        sound = columns[0].at[at] >= 0 && columns[0].at[at] < columns[2].count;
    if (sound)
        return 0;
    let_go(columns, 3);
    out_of_bounds();
    return -1;
}

static PyObject *firsts(PyObject *self, PyObject *args)
{
    PyObject *found = NULL;
    Column columns[3];
    (void)self;
    if (works_of(args, columns) < 0)
        return NULL;
    const Column *rows = &columns[0], *positions = &columns[1], *numbers = &columns[2];
    Py_ssize_t most = rows_of(numbers), count = 0;
    int32_t *seen = filled(most, 0), *first = numbers_for(most);
    if (seen == NULL || first == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < rows->count; at++) {
        int32_t number = numbers->at[rows->at[at]];
        if (number >= 0 && !seen[number]) {
            seen[number] = 1;
            first[count++] = positions->at[at];
        }
    }
    found = bytes_of(first, count);
end:
    PyMem_Free(seen);
    PyMem_Free(first);
    let_go(columns, 3);
    return found;
}

static PyObject *passing(PyObject *self, PyObject *args)
{
    Column columns[3];
    (void)self;
    if (works_of(args, columns) < 0)
        return NULL;
    const Column *rows = &columns[0], *where = &columns[1], *numbers = &columns[2];
    PyObject *found = NULL;
    Py_ssize_t count = 0;
    int32_t *moments = numbers_for(3 * rows->count);
    if (moments != NULL) {
        for (Py_ssize_t at = 0; at < rows->count; at++) {
            int32_t number = numbers->at[rows->at[at]];
            if (number < 0)
                continue;
            moments[count++] = where->at[at];
            moments[count++] = PASS;
            moments[count++] = number;
        }
        found = bytes_of(moments, count);
    }
    PyMem_Free(moments);
    let_go(columns, 3);
    return found;
}

static int earlier(const void *one, const void *other)
{
    const int32_t *first = one, *second = other;
    for (int each = 0; each < 3; each++)
        if (first[each] != second[each])
            return first[each] < second[each] ? -1 : 1;
    return 0;
}

static PyObject *in_turn(PyObject *self, PyObject *given)
{
    Column moments;
    PyObject *found = NULL;
    (void)self;
    if (columns_of(&given, &moments, 1) < 0)
        return NULL;
    int32_t *sorted = numbers_for(moments.count);
    if (sorted != NULL && moments.count % 3) {
        out_of_bounds();
    } else if (sorted != NULL) {
        memcpy(sorted, moments.at, (size_t)moments.count * sizeof(int32_t));
        qsort(sorted, (size_t)moments.count / 3, 3 * sizeof(int32_t), earlier);
        found = bytes_of(sorted, moments.count);
    }
    PyMem_Free(sorted);
    let_go(&moments, 1);
    return found;
}

/* ---- a program for the replay ---- */

/* Whether a sum at a position takes the place of its first term, which goes there. */
static int is_in_place(const Column *program, const Column *kinds, int32_t at)
{
    if (at < 1 || at >= program->count || program->at[at - 1] < 0 || program->at[at] >= 0)
        return 0;
    return kinds->at[program->at[at - 1]] == kinds->at[~program->at[at]];
}

static PyObject *summed(PyObject *self, PyObject *args)
{
    PyObject *given[3], *found = NULL;
    Column columns[3];
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &given[0], &given[1], &given[2])
        || columns_of(given, columns, 3) < 0)
        return NULL;
    const Column *program = &columns[0], *positions = &columns[1], *kinds = &columns[2];
    Py_ssize_t count = program->count;
    int32_t *numbers = numbers_for(count), *place = filled(kinds->count, NONE);
    if (numbers == NULL || place == NULL)
        goto end;
    if (rows_of(program) > kinds->count) {
        out_of_bounds();
        goto end;
    }
    memcpy(numbers, program->at, (size_t)count * sizeof(int32_t));
    for (Py_ssize_t each = 0; each < positions->count; each++) {
        int32_t at = positions->at[each];
        if (!is_in_place(program, kinds, at))
            continue;
        int32_t result = program->at[at - 1], term = ~program->at[at];
        place[result] = place[term] == NONE ? term : place[term];
    }
    for (Py_ssize_t at = 0; positions->count && at < count; at++)
        if (program->at[at] < 0 && place[~program->at[at]] != NONE)
            numbers[at] = ~place[~program->at[at]];
    for (Py_ssize_t each = 0; each < positions->count; each++) {
        int32_t at = positions->at[each]; /* last: a term that is a sum itself lives on */
        if (is_in_place(program, kinds, at))
            numbers[at - 1] = numbers[at] = ~program->at[at - 1];
    }
    found = bytes_of(numbers, count);
end:
    PyMem_Free(numbers);
    PyMem_Free(place);
    let_go(columns, 3);
    return found;
}

static int add_bytes(PyObject *list, const int32_t *numbers, Py_ssize_t count)
{
    PyObject *part = bytes_of(numbers, count);
    int failed = part == NULL || PyList_Append(list, part) < 0;
    Py_XDECREF(part);
    return failed;
}

static PyObject *cut(PyObject *self, PyObject *args)
{
    PyObject *given[2], *found = NULL;
    Column columns[2];
    int first, handles;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOii", &given[0], &given[1], &first, &handles)
        || columns_of(given, columns, 2) < 0)
        return NULL;
    const Column *program = &columns[0], *moments = &columns[1];
    Py_ssize_t count = 0, done = 0;
    int32_t *events = numbers_for(program->count + moments->count / 3 * 4);
    if (events == NULL || (found = PyList_New(0)) == NULL)
        goto end;
    for (Py_ssize_t each = 0; each + 2 < moments->count; each += 3) {
        int32_t at = moments->at[each], what = moments->at[each + 1], number = moments->at[each + 2];
        if (at < done || at > program->count || number < 0 || first < 0 || number > INT32_MAX - first) {
            Py_CLEAR(found);
            out_of_bounds();
            goto end;
        }
        memcpy(&events[count], &program->at[done], (size_t)(at - done) * sizeof(int32_t));
        count += at - done;
        done = at;
        if (what == FLUSH) {
            if (add_bytes(found, events, count)) {
                Py_CLEAR(found);
                goto end;
            }
            count = 0;
            continue;
        }
        if (number > 0 && number <= handles) {
            events[count++] = first;
            events[count++] = ~first;
        }
        if (what != GIVE && what != RETURN)
            events[count++] = first + number;
        if (what == PASS || what == GIVE || what == RETURN)
            events[count++] = ~(first + number);
    }
    memcpy(&events[count], &program->at[done], (size_t)(program->count - done) * sizeof(int32_t));
    if (add_bytes(found, events, count + program->count - done))
        Py_CLEAR(found);
end:
    PyMem_Free(events);
    let_go(columns, 2);
    return found;
}

static PyObject *slotted(PyObject *self, PyObject *args)
{
    PyObject *given[2], *found = NULL;
    Column columns[2];
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &given[0], &given[1]) || columns_of(given, columns, 2) < 0)
        return NULL;
    const Column *program = &columns[0], *kinds = &columns[1];
    Py_ssize_t blocks = kinds->count, count = 0;
    int32_t most = NONE;
    for (Py_ssize_t at = 0; at < blocks; at++)
        most = most < kinds->at[at] ? kinds->at[at] : most;
    int32_t *vacant = filled((Py_ssize_t)most + 1, NONE), *slot_of = filled(blocks, NONE);
    int32_t *slots = numbers_for(program->count), *below = numbers_for(program->count);
    int32_t *renamed = numbers_for(program->count);
    if (vacant == NULL || slot_of == NULL || slots == NULL || below == NULL || renamed == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < program->count; at++) {
        int32_t event = program->at[at], block = event < 0 ? ~event : event, slot;
        if (block >= blocks || kinds->at[block] < 0) {
            out_of_bounds();
            goto end;
        }
        int32_t *free = &vacant[kinds->at[block]];
        if (event >= 0) {
            slot = *free;
            if (slot != NONE) {
                *free = below[slot];
            } else {
                slot = (int32_t)count;
                slots[count++] = kinds->at[block];
            }
            slot_of[block] = slot;
            renamed[at] = slot;
        } else if ((slot = slot_of[block]) != NONE) {
            slot_of[block] = NONE;
            below[slot] = *free;
            *free = slot;
            renamed[at] = ~slot;
        } else {
            renamed[at] = NO_EVENT;
        }
    }
    PyObject *events = bytes_of(renamed, program->count), *of = bytes_of(slots, count);
    if (events != NULL && of != NULL)
        found = PyTuple_Pack(2, events, of);
    Py_XDECREF(events);
    Py_XDECREF(of);
end:
    PyMem_Free(vacant);
    PyMem_Free(slot_of);
    PyMem_Free(slots);
    PyMem_Free(below);
    PyMem_Free(renamed);
    let_go(columns, 2);
    return found;
}

static PyObject *paired(PyObject *self, PyObject *args)
{
    PyObject *given, *found = NULL;
    Column events;
    int slots;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &given, &slots) || columns_of(&given, &events, 1) < 0)
        return NULL;
    int32_t *pairs = numbers_for(events.count);
    Py_ssize_t count = 0;
    if (pairs == NULL)
        goto end;
    for (Py_ssize_t at = 0; at < events.count; at++) {
        int32_t event = events.at[at];
        if (event < 0 && count && pairs[count - 1] == ~event) {
            if (slots < 0 || pairs[count - 1] > INT32_MAX - slots) {
                PyErr_SetString(PyExc_OverflowError, "more slots than are numbered");
                goto end;
            }
            pairs[count - 1] += slots;
        } else if (event != NO_EVENT) {
            pairs[count++] = event;
        }
    }
    found = bytes_of(pairs, count);
end:
    PyMem_Free(pairs);
    let_go(&events, 1);
    return found;
}

/* ---- the module ---- */

static PyMethodDef functions[] = {
    {"tables", tables, METH_VARARGS, NULL},     {"rounds", rounds, METH_VARARGS, NULL},
    {"numbered", numbered, METH_VARARGS, NULL}, {"course", course, METH_VARARGS, NULL},
    {"living", living, METH_O, NULL},           {"lives", lives, METH_VARARGS, NULL},
    {"highest", highest, METH_VARARGS, NULL},   {"slotted", slotted, METH_VARARGS, NULL},
    {"paired", paired, METH_VARARGS, NULL},     {"spread", spread, METH_VARARGS, NULL},
    {"distinct", distinct, METH_O, NULL},       {"places", places, METH_VARARGS, NULL},
    {"summed", summed, METH_VARARGS, NULL},     {"cut", cut, METH_VARARGS, NULL},
    {"firsts", firsts, METH_VARARGS, NULL},     {"passing", passing, METH_VARARGS, NULL},
    {"in_turn", in_turn, METH_O, NULL},         {"gradients_first", gradients_first, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_flow",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__flow(void)
{
    PyObject *module = PyModule_Create(&definition), *source = PyLong_FromUnsignedLong(SOURCE);
    if (module == NULL || source == NULL || PyModule_AddObjectRef(module, "SOURCE", source) < 0)
        Py_CLEAR(module);
    Py_XDECREF(source);
    return module;
}
