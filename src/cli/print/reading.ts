import type { TakeResource } from '../../api/read_tree.ts'
import { countOf } from '../../core/count.ts'
import type { PlanReader } from '../../reconcile/plan/plan_reader.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { spinner, startLive } from './live.ts'
import { oneLine, showDuration } from './text_format.ts'

/** Time after which a plan shows that it waits, in milliseconds. */
const patienceMs = 1000

/** Interval of lines where they cannot be redrawn, in milliseconds. */
const heartbeatMs = 10_000

/** Shows how long a plan has been reading the server, if that takes longer than a second, while `work` runs. */
export async function showReading<T>(
  reader: PlanReader,
  { err, canRedraw }: Pick<Terminal, 'err' | 'canRedraw'>,
  work: (reader: PlanReader) => Promise<T>,
): Promise<T> {
  const startedMs = performance.now()
  const seen = { resources: 0 }
  const describe = () => {
    const count = seen.resources === 0 ? '' : `${countOf(seen.resources, 'resource')}, `
    return `reading ${oneLine(reader.url)}: ${count}${showDuration(performance.now() - startedMs)}`
  }
  const counting = (take: TakeResource): TakeResource => {
    return (resource) => {
      seen.resources += 1
      take(resource)
    }
  }
  const { readPart } = reader
  const watched: PlanReader = {
    ...reader,
    readTree: (take) => reader.readTree(counting(take)),
    ...(readPart === undefined ? {} : { readPart: (part, take) => readPart(part, counting(take)) }),
  }
  const stop = canRedraw
    ? startLive(err, () => {
        const nowMs = performance.now()
        return nowMs - startedMs < patienceMs ? [] : [`${spinner(nowMs)} ${describe()}`]
      }).end
    : startHeartbeat(() => writeLine(err, describe()))
  try {
    return await work(watched)
  } finally {
    stop()
  }
}

function startHeartbeat(beat: () => void): () => void {
  const timer = setInterval(beat, heartbeatMs)
  timer.unref()
  return () => clearInterval(timer)
}
