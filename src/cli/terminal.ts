import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { printable } from './print/text_format.ts'

/** Streams, environment and signals of a command. Tests provide their own. */
export interface Terminal {
  /** Results. */
  readonly out: Writable
  /** Everything else. */
  readonly err: Writable
  readonly input: Readable
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the working directory. */
  readonly cwd: string
  /** Whether the terminal is interactive. */
  readonly canAsk: boolean
  /** Whether results may have colours. */
  readonly colour: boolean
  /** Whether `err` may have colours. */
  readonly errColour: boolean
  /** Whether `err` may be redrawn, for progress. */
  readonly canRedraw: boolean
  /** Maximum line length of results; undefined if unlimited. */
  readonly width?: number | undefined
  /** Aborted by the first Ctrl-C or SIGTERM: finish running operations. */
  readonly interrupt: AbortSignal
  /** Aborted by the second: stop now. */
  readonly halt: AbortSignal
}

/** Returns the terminal of this process, and handles its signals. */
export function openTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== ''
  const ci = env.CI !== undefined && env.CI !== '' && env.CI !== 'false'
  const dumb = env.TERM === 'dumb'
  const { interrupt, halt } = listenForSignals()
  // If the reader closes the pipe (`landform apply | head`), running operations still finish.
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
    errColour: stderr.isTTY === true && !plain && !ci && !dumb,
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

/** Writes lines to a stream, with control characters escaped except for our own colours. */
export function writeLine(stream: Writable, text: string): void {
  stream.write(`${printable(text)}\n`)
}

/**
 * Prompts for secrets without echo, one after the other. Returns fewer if the user cancels.
 */
export async function askHidden(
  { input, err, interrupt }: Terminal,
  questions: readonly string[],
): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // The library echoes the input: discard it.
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

/** Answer to a question for confirmation. */
export type Confirmation = 'yes' | 'no' | 'interrupted'

/** Asks for confirmation, which requires the word yes. */
export async function askYes(terminal: Terminal, question: string): Promise<Confirmation> {
  const asking = openQuestions(terminal)
  const answer = await asking.ask(`${question} `)
  asking.close()
  if (answer === undefined) return asking.signal.aborted ? 'interrupted' : 'no'
  return answer.toLowerCase() === 'yes' ? 'yes' : 'no'
}

/** A person who is asked for lines of text. */
export interface Questions {
  /** Asks for a line, without spaces around it; undefined if the person breaks off. */
  ask(question: string): Promise<string | undefined>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  close(): void
}

/** Begins to ask. One reader serves all questions, because it may have read the answers of the next ones already. */
export function openQuestions({ input, err, interrupt }: Terminal): Questions {
  const lines = createInterface({ input, output: err })
  // A terminal that edits lines passes Ctrl-C on as a character, without a signal.
  const stop = new AbortController()
  lines.on('SIGINT', () => stop.abort())
  const signal = AbortSignal.any([interrupt, stop.signal])
  signal.addEventListener('abort', () => lines.close())
  const answers = lines[Symbol.asyncIterator]()
  return {
    signal,
    close: () => lines.close(),
    ask: async (question) => {
      if (signal.aborted) return undefined
      lines.setPrompt(question)
      lines.prompt()
      const { value, done } = await answers.next()
      if (!done && !signal.aborted) return value.trim()
      err.write('\n')
      return undefined
    },
  }
}
