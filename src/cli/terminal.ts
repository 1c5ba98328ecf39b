import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { printable } from './print/printable.ts'

/** Where a command reads and writes, and what it knows of its surroundings. Tests give their own. */
export interface Terminal {
  /** Results. */
  readonly out: Writable
  /** Everything else. */
  readonly err: Writable
  readonly input: Readable
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute. */
  readonly cwd: string
  /** Whether a person can be asked. */
  readonly canAsk: boolean
  /** Whether results may carry colour. */
  readonly colour: boolean
  /** Whether `err` may be redrawn, for progress. */
  readonly canRedraw: boolean
  /** Columns that a line of results has; undefined where it may be as long as it is. */
  readonly width?: number | undefined
  /** Aborted by the first Ctrl-C or SIGTERM: finish what runs. */
  readonly interrupt: AbortSignal
  /** Aborted by the second: stop now. */
  readonly halt: AbortSignal
}

/** Gives the terminal of this process, with Ctrl-C in hand. */
export function openTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== ''
  const ci = env.CI !== undefined && env.CI !== '' && env.CI !== 'false'
  const dumb = env.TERM === 'dumb'
  const { interrupt, halt } = listenForSignals()
  // A reader that has seen enough goes away (`landform apply | head`); what is being done is done to its end.
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe)
  return {
    out: stdout,
    err: stderr,
    input: stdin,
    env,
    cwd: process.cwd(),
    canAsk: stdin.isTTY === true && stderr.isTTY === true && !ci,
    colour: stdout.isTTY === true && !plain && !ci && !dumb,
    width: stdout.isTTY === true ? stdout.columns : undefined,
    canRedraw: stderr.isTTY === true && !ci && !dumb,
    interrupt,
    halt,
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function listenForSignals(): Pick<Terminal, 'interrupt' | 'halt'> {
  const interrupt = new AbortController()
  const halt = new AbortController()
  const onSignal = () => {
    if (!interrupt.signal.aborted) interrupt.abort()
    else if (!halt.signal.aborted) halt.abort()
    else process.exit(130)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return { interrupt: interrupt.signal, halt: halt.signal }
}

/** Writes lines to a stream; nothing in them but our own colours does anything to a terminal. */
export function writeLine(stream: Writable, text: string): void {
  stream.write(`${printable(text)}\n`)
}

/**
 * Asks a person for texts that are not shown while they are typed, one after the other. Gives fewer where the person
 * stops.
 */
export async function askHidden(
  { input, err, interrupt }: Terminal,
  questions: readonly string[],
): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // As on a terminal, the library echoes what is typed: to nowhere.
  const lines = createInterface({ input, output: nowhere, terminal: true, signal: interrupt })
  const answers = lines[Symbol.asyncIterator]()
  const given: string[] = []
  try {
    for (const question of questions) {
      err.write(`${question} `)
      const { value, done } = await answers.next()
      err.write('\n')
      if (done) break
      given.push(value)
    }
    return given
  } finally {
    lines.close()
  }
}

/** Asks a person; only the word yes is a yes. */
export async function askYes({ input, err, interrupt }: Terminal, question: string): Promise<boolean> {
  const lines = createInterface({ input, output: err })
  try {
    const answer = await lines.question(`${question} `, { signal: interrupt })
    return answer.trim().toLowerCase() === 'yes'
  } catch {
    return false
  } finally {
    lines.close()
  }
}
