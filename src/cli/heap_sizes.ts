import { setFlagsFromString } from 'node:v8'

/** Sizes of the memory for new objects, in MiB: of a short command, of a server and of each thread that it starts. */
export const youngMebibytes = { command: 16, server: 4, thread: 4 }

/**
 * Lets the memory of this thread for new objects grow to a size at once, in MiB, from its first size of 1 MiB. Call
 * `fixYoungGeneration` when the program has loaded.
 */
export function growYoungGeneration(mebibytes: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${mebibytes}`)
}

/** Prepares the memory of a program that serves, before it loads: see `fixYoungGeneration`. */
export function prepareServerMemory(): void {
  // Under load, a server would grow its young generation with the memory of the machine, to more than 100 MB in all threads,
  // without being faster for it.
  growYoungGeneration(youngMebibytes.server)
  // V8 may let the memory for old objects grow fourfold before it collects them. A smaller step saves memory, and needs no more
  // collections.
  setFlagsFromString('--heap-growing-percent=60')
}

/** Keeps the memory of this thread for new objects as it is, and fixes that of threads that are started later. */
export function fixYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString(`--min-semi-space-size=${youngMebibytes.thread}`)
}
