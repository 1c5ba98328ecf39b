import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BenchServer } from './running.ts'
import { benchPassword } from './server.ts'

/** What the program wrote and used. */
export interface ProgramRun {
  readonly out: string
  readonly seconds: number
  /** User and system time of the process, its start included. */
  readonly cpuSeconds: number
  readonly peakBytes: number
}

/** Runs the program with a server in a process of its own, as from a shell; anything but success is an error. */
export function runLandform(server: BenchServer, ...words: string[]): Promise<ProgramRun> {
  const account = { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: benchPassword }
  return runProgram({ LANDFORM_SERVER: server.url, ...account }, ...words)
}

/** Runs the program in a process of its own, as from a shell; anything but success is an error. */
export async function runProgram(
  variables: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<ProgramRun> {
  const program = fileURLToPath(new URL('./landform.mjs', import.meta.url))
  const env = { ...process.env, ...variables }
  const started = performance.now()
  const child = spawn(process.execPath, [program, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  let out = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk
  })
  const used = once(child, 'message')
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`landform ${words.join(' ')} ended with code ${code}\n${out}`)
  const [{ cpuSeconds, peakBytes }] = (await used) as [Omit<ProgramRun, 'out' | 'seconds'>]
  return { out, seconds: (performance.now() - started) / 1000, cpuSeconds, peakBytes }
}
