import { findWireProblem } from '../../contract/problems.ts'
import type { Log } from '../../core/log.ts'
import type { Problem } from '../../core/problem.ts'

/** A request that was refused. */
export interface RefusedRequest {
  readonly id: string
  readonly method: string
  /** Path template of the contract; undefined for paths that it does not have. */
  readonly template: string | undefined
  readonly fault: Problem
}

/** Tells whether a fault is the refusal of a server that has too many other requests. */
export function isOverload({ code }: Problem): boolean {
  return findWireProblem(code)?.isOverload === true
}

/** The last line of a code and an operation. */
interface LastLine {
  readonly second: number
  /** Refusals since then that have no line. */
  suppressed: number
}

/**
 * Creates a function that logs refusals under load as warnings: at most one for each code, operation and second, with the number of
 * those since the last one. There may be thousands in a second, and writing them would take the time that the server lacks.
 */
export function createRefusalLog(
  log: Log,
  nowMs: () => number = () => performance.now(),
): (refused: RefusedRequest) => void {
  const lastLines = new Map<string, LastLine>()
  return ({ id, method, template = 'unknown', fault: { code, message } }) => {
    const key = `${code} ${method} ${template}`
    const last = lastLines.get(key)
    const second = Math.floor(nowMs() / 1000)
    if (last?.second === second) {
      last.suppressed += 1
      return
    }
    lastLines.set(key, { second, suppressed: 0 })
    const facts = { request_id: id, method, path: template, code, reason: message }
    log.warn({ ...facts, suppressed: last?.suppressed ?? 0 }, 'request refused')
  }
}
