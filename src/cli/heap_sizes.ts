import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Sizes of the memory for new objects, in MiB: of a short command, of a server and of each thread that it starts. */
const youngMebibytes = { command: 16, server: 4, thread: 4 }

/** Prepares the memory of a program that serves. Call it first. */
export function prepareServerMemory(): void {
  // Under load, a server would grow its young generation with the memory of the machine, to more than 100 MB in all threads,
  // without being faster for it.
  setYoungGeneration(youngMebibytes.server)
  // V8 may let the memory for old objects grow fourfold before it collects them. A smaller step saves memory, and needs no more
  // collections.
  setFlagsFromString('--heap-growing-percent=60')
}

/** Prepares the memory of a command that allocates much, keeps little, and ends soon. Call it first. */
export function prepareCommandMemory(): void {
  // This takes a third of the garbage collection time of V8's initial size, and three quarters of the memory of its final size.
  setYoungGeneration(youngMebibytes.command)
}

/**
 * Sets the size of the memory for new objects in this thread, for good, and in threads that are started later. The flag for it
 * has no effect in a running program: V8 has to grow the memory, by a factor, which it does when new objects are kept.
 */
function setYoungGeneration(mebibytes: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${mebibytes / initialMebibytes}`)
  const kept: number[][] = []
  // Of two halves, one is empty. A V8 that does not grow it by some MB has another way.
  while (youngBytes() < 2 * mebibytes * 2 ** 20 && kept.length < maxKept)
    kept.push(new Array(keptLength).fill(0))
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString(`--min-semi-space-size=${youngMebibytes.thread}`)
}

/** First size of half of the memory for new objects. */
const initialMebibytes = 1

/** Numbers of arrays and of their elements: some MB in all, in pieces that are new objects like others. */
const [maxKept, keptLength] = [50, 10_000]

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
