import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { authorization } from './load_client.ts'

/** Rate and response times of a server under load. */
export interface WrkRun {
  readonly requests: number
  /** Requests a second. */
  readonly rate: number
  readonly p99Ms: number
  /** Bytes of all responses. */
  readonly bytes: number
}

interface Load {
  readonly origin: string
  /** Paths that are requested in turn, again and again. */
  readonly paths: readonly string[]
  readonly clients: number
  readonly seconds: number
}

/** Requests the paths of a file in turn, and prints a summary as JSON. */
const script = `
local paths = {}
for line in io.lines(PATHS) do paths[#paths + 1] = line end
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at], { ["authorization"] = AUTHORIZATION })
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"requests":%d,"micros":%d,"p99":%d,"bytes":%d,"errors":%d}\\n', summary.requests,
    summary.duration, latency:percentile(99), summary.bytes,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end`

/** Measures paths of a server with wrk, in one thread, as the administrator. */
export async function runWrk({ origin, paths, clients, seconds }: Load): Promise<WrkRun> {
  const folder = mkdtempSync(join(tmpdir(), 'landform-bench-wrk-'))
  try {
    const [list, lua] = [join(folder, 'paths'), join(folder, 'load.lua')]
    writeFileSync(list, paths.join('\n'))
    const constants = { PATHS: list, AUTHORIZATION: authorization }
    const head = Object.entries(constants).map(([name, value]) => `local ${name} = ${JSON.stringify(value)}`)
    writeFileSync(lua, `${head.join('\n')}${script}`)
    const options = ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '60s', '-s', lua, origin]
    const { stdout } = await promisify(execFile)('wrk', options)
    return readSummary(stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Summary {
  readonly requests: number
  readonly micros: number
  readonly p99: number
  readonly bytes: number
  readonly errors: number
}

function readSummary(output: string): WrkRun {
  const { requests, micros, p99, bytes, errors } = JSON.parse(
    output.trim().split('\n').at(-1) ?? '',
  ) as Summary
  if (errors > 0) throw new Error(`${errors} of ${requests} requests failed`)
  return { requests, rate: (1e6 * requests) / micros, p99Ms: p99 / 1000, bytes }
}
