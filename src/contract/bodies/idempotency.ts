/**
 * Request header with the idempotency key of a creation: repeated requests are executed once. Keys are separate per
 * user; all guests share one key space, so that guests need long random keys.
 */
export const keyHeader = 'idempotency-key'

/** Header of a response that repeats the stored response to an earlier request with the same key. */
export const replayedHeader = 'idempotency-replayed'

/** Syntax of a key: up to 255 visible ASCII characters. */
export const keyPattern = '^[\\x21-\\x7e]{1,255}$'

/** Retention time of a key and its response, in hours. */
export const retentionHours = 24
