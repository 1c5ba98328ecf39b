import { type Connection, type Write, type Written, writeResource, writeTogether } from './write_resource.ts'

/** Writes of a run. */
export interface WriteQueue {
  /** Writes a resource. @throws {Problem} as `writeResource` */
  write(write: Write): Promise<Written>
}

interface Waiting {
  readonly write: Write
  resolve(written: Written): void
  reject(error: unknown): void
}

/** Maximum number of resources in one request: a failure repeats all of them one by one. */
const maxTogether = 50

/**
 * Creates a queue that sends concurrent writes together: the engine asks for many at a time, and each request to a server costs
 * a transaction and an entry of its journal. While a request runs, the next writes gather; none waits for a timer. If a
 * joint request fails, each of its writes is repeated alone, so that it fails for its own reasons only. Writes with data
 * are sent alone: uploads take long, and small writes do not wait for them.
 */
export function createWriteQueue(connection: Connection): WriteQueue {
  const waiting: Waiting[] = []
  let running = false
  const run = async () => {
    running = true
    // The engine sends its requests at the same time: all that have arrived are read first.
    await new Promise((next) => setImmediate(next))
    while (waiting.length > 0) await writeAll(connection, waiting.splice(0, maxTogether))
    running = false
  }
  return {
    write: (write) => {
      if (hasData(write)) return writeResource(connection, write)
      return new Promise((resolve, reject) => {
        waiting.push({ write, resolve, reject })
        if (!running) void run()
      })
    },
  }
}

function hasData({ key, manifest }: Write): boolean {
  const { data, files } = manifest.resources.get(key) ?? {}
  return data !== undefined || files !== undefined
}

async function writeAll(connection: Connection, batch: readonly Waiting[]): Promise<void> {
  const written = batch.length > 1 ? await tryTogether(connection, batch) : undefined
  const rest: Promise<void>[] = []
  for (const one of batch) {
    const done = written?.get(one.write)
    if (done === undefined) rest.push(writeResource(connection, one.write).then(one.resolve, one.reject))
    else one.resolve(done)
  }
  await Promise.all(rest)
}

// A failure that is no Problem of one write is found again by each of them.
function tryTogether(connection: Connection, batch: readonly Waiting[]) {
  const writes = batch.map(({ write }) => write)
  return writeTogether(connection, writes).catch(() => new Map<Write, Written>())
}
