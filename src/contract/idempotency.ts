/**
 * Request header that names one creation, so that it is done once, however often it is sent. Each user has keys of his
 * own; guests share theirs, so that whoever does not log in makes up long ones.
 */
export const keyHeader = 'idempotency-key'

/** Header of an answer that was given before, to the same request under the same key. */
export const replayedHeader = 'idempotency-replayed'

/** What a key may be: whatever the client makes up, in visible characters. */
export const keyPattern = '^[\\x21-\\x7e]{1,255}$'

/** How long a key and its answer are kept, in hours. */
export const retentionHours = 24
