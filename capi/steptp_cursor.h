#ifndef STEPTP_CURSOR_H
#define STEPTP_CURSOR_H

/*
 * The cursor over all plans of a program, for C and for ctypes. docs/cursor.md explains spaces, cursors and sentences.
 *
 * Ownership: whoever opens or forks something closes it. A space may be closed while cursors of it are alive; it goes
 * away with the last of them. Strings that a function returns or writes to `error` belong to the caller and go back by
 * steptp_string_free; NULL is allowed for every `error`. Buffers always belong to the caller.
 *
 * Threads: a space may be used by any number of threads at once, a cursor by one thread at a time. Batch calls use one
 * thread; split the batch to use more. Nothing here depends on time or on the number of threads.
 *
 * Failure: functions that return a pointer return NULL, functions that return a number return a negative one, and say
 * why in `error`. No token, number or pointer to bytes makes the library crash, as long as buffers are as long as said.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every change of this interface. */
#define STEPTP_CURSOR_ABI 2

typedef struct steptp_space steptp_space;
typedef struct steptp_cursor steptp_cursor;

int32_t steptp_cursor_abi(void);
void steptp_string_free(char* string);

/* The vocabulary: how many words, its version, its hash, and word by word. These strings are static. */
int32_t steptp_vocabulary_size(void);
int32_t steptp_vocabulary_version(void);
const char* steptp_vocabulary_hash(void);
/* What decisions mean; weights of another version are refused. */
int32_t steptp_space_version(void);
const char* steptp_vocabulary_word(int32_t token); /* NULL beyond the vocabulary */
int32_t steptp_vocabulary_token(const char* word); /* -1 where there is no such word */

/* A space: `document` is a .leir file's text with signature, `target` a name of the table of devices. */
steptp_space* steptp_space_open(const char* document, const char* target, char** error);
/* A space of the program and the target that a sentence (or its part up to PPT) says. */
steptp_space* steptp_space_of_sentence(const int32_t* tokens, int64_t count, char** error);
void steptp_space_close(steptp_space* space);
/* BOS <LEIR> <target> [quality] PPT. quality: -2 no word, -1 `q:none`, 0 to 9 a decile. Writes at most `capacity`
 * tokens and returns how many there are; call again with more room where that is more. */
int64_t steptp_space_prompt(const steptp_space* space, int32_t quality, int32_t* tokens, int64_t capacity,
                            char** error);
/* The program as a document (with generated names where it came from a sentence). */
char* steptp_space_document(const steptp_space* space);

steptp_cursor* steptp_cursor_new(const steptp_space* space);
steptp_cursor* steptp_cursor_fork(const steptp_cursor* cursor);
void steptp_cursor_close(steptp_cursor* cursor);
/* Back to the first decision. */
void steptp_cursor_reset(steptp_cursor* cursor);

/* What is decided next. 1: there is something, 0: the cursor is complete. */
int32_t steptp_cursor_next(const steptp_cursor* cursor, int32_t* opcode, int32_t* object);
/* The legal values, ascending. Writes at most `capacity` and returns how many there are (0: complete). */
int64_t steptp_cursor_legal(const steptp_cursor* cursor, int32_t* values, int64_t capacity);
/* 0: done. -1: not legal, and the cursor is as it was. */
int32_t steptp_cursor_put(steptp_cursor* cursor, int32_t value, char** error);
/* Decisions so far, for people. */
char* steptp_cursor_text(const steptp_cursor* cursor);
/* How many tokens; writes at most `capacity`. A cursor that is not complete: the sentence so far, without EOS. */
int64_t steptp_cursor_sentence(const steptp_cursor* cursor, int32_t quality, int32_t* tokens, int64_t capacity,
                               char** error);
/* JSON: [{"first","expressions","structure","seconds","kernels":[{"name","grid","block","shared_bytes","registers",
 * "barriers"},...]},...] */
char* steptp_cursor_facts(const steptp_cursor* cursor, char** error);
/* JSON: {"leir": document,"plan":{...},"recipe":{"steps":[...]}}; the plan has root, target and moves. */
char* steptp_cursor_finish(const steptp_cursor* cursor, char** error);

/* A complete cursor of a sentence; on the given space, which has to be the sentence's own, or on a new one (NULL). */
steptp_cursor* steptp_cursor_replay(const steptp_space* space, const int32_t* tokens, int64_t count, char** error);

/*
 * Batches: for n cursors, of one space or of several.
 * `opcodes` and `objects` have room for n; both are -1 for a complete cursor.
 * `masks` is n rows of `stride` bytes, stride >= steptp_vocabulary_size(): 1 for each legal value, 0 elsewhere. The row
 * of a complete cursor is all 0. Returns how many cursors are not complete, or -1 where the stride is too small.
 */
int64_t steptp_cursors_next(const steptp_cursor* const* cursors, int64_t n, int32_t* opcodes, int32_t* objects);
int64_t steptp_cursors_legal(const steptp_cursor* const* cursors, int64_t n, uint8_t* masks, int64_t stride);
/* values[i] < 0 leaves cursor i as it is. statuses (may be NULL): 0 done or left, -1 not legal. Returns how many were
 * not legal. */
int64_t steptp_cursors_put(steptp_cursor* const* cursors, int64_t n, const int32_t* values, int32_t* statuses);
/* All at once, one step of decoding: puts `values` (NULL in the first step), then writes opcodes, objects and masks. */
int64_t steptp_cursors_step(steptp_cursor* const* cursors, int64_t n, const int32_t* values, int32_t* opcodes,
                            int32_t* objects, uint8_t* masks, int64_t stride);
/* n random sentences of one space, each value uniform over the legal ones; sentence i depends on seed and i only. Row i
 * of `tokens` has `stride` places, filled up with PAD; lengths[i] tokens are used. Returns n, or -1. */
int64_t steptp_space_sample(const steptp_space* space, uint64_t seed, int64_t n, int32_t quality, int32_t* tokens,
                            int64_t stride, int32_t* lengths, char** error);

/* What the analytic model expects of complete rows of values, in seconds: `n` rows of `stride` values, of which the
 * first `counts[i]` count. NaN where a value is not legal, a row is not complete, or the model says nothing. Returns
 * how many have a number. */
int64_t steptp_space_expected(const steptp_space* space, const int32_t* values, int64_t n, int64_t stride,
                              const int32_t* counts, double* seconds);

#ifdef __cplusplus
}
#endif

#endif
