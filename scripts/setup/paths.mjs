import { fileURLToPath } from 'node:url'

/** Folder of the clone, with a trailing slash. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Returns an absolute path in the clone. */
export const inRoot = (path) => root + path

/** The Node that package scripts run on if the Node of the system is too old. */
export const linkedNode = inRoot('node_modules/.bin/node')

/** Minimum Node version: runs TypeScript without flags and warnings. */
export const oldestNode = 24
