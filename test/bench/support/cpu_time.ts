import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second of Linux. */
const ticksPerSecond = 100

interface ProcessTimes {
  readonly parent: number
  readonly group: number
  /** Of the process and its ended children. */
  readonly seconds: number
}

/** Returns the processor time of the processes of a group, in seconds. */
export function groupCpuSeconds(group: number): number {
  return sumSeconds((one) => one.group === group)
}

/** Returns the processor time of a process, its children and its ended children, in seconds: a PostgreSQL server's. */
export function familyCpuSeconds(parent: number): number {
  return sumSeconds((one, pid) => pid === parent || one.parent === parent)
}

/** Returns the id of the parent of a process. */
export function parentOf(pid: number): number {
  return readTimes(String(pid))?.parent ?? 0
}

function sumSeconds(isCounted: (one: ProcessTimes, pid: number) => boolean): number {
  return readdirSync('/proc').reduce((sum, name) => {
    const one = /^\d+$/.test(name) ? readTimes(name) : undefined
    return one !== undefined && isCounted(one, Number(name)) ? sum + one.seconds : sum
  }, 0)
}

/** @see proc_pid_stat(5) */
function readTimes(pid: string): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0, group = 0] = fields
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0)
    return { parent, group, seconds: ticks / ticksPerSecond }
  } catch {
    return undefined
  }
}
