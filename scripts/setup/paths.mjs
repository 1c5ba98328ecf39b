import { fileURLToPath } from 'node:url'

/** The folder of the clone, with a slash at the end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A path inside the clone. */
export const inRoot = (path) => root + path

/** The Node that every package script runs on when the system's own is too old. */
export const linkedNode = inRoot('node_modules/.bin/node')

/** The oldest Node that runs TypeScript without a flag and without a warning. */
export const oldestNode = 24
