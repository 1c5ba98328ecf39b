import { Readable, Writable } from 'node:stream'
import { loadCommands } from '../../src/cli/commands/table.ts'
import { runProgram } from '../../src/cli/program.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

/** What a command did. */
export interface Ran {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** What surrounds a command. */
export interface Surroundings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** What a person types, when asked; without it nobody can be asked. */
  readonly answer?: string | (() => Promise<string>)
  /** Whether lines are edited, as on a terminal: keys such as Ctrl-C come as characters. */
  readonly editsLines?: boolean
  /** Whether lines are redrawn, as on a terminal. */
  readonly redraws?: boolean
  readonly interrupt?: AbortSignal
  /** Told what the command writes to stderr, as it comes. */
  readonly onErr?: (text: string) => void
}

/** Runs the program as from a shell, with streams in the place of a terminal. */
export async function runCommand(words: readonly string[], surroundings: Surroundings): Promise<Ran> {
  const { cwd, env = {}, answer } = surroundings
  const [out, err] = [collectText(), collectText(surroundings.onErr)]
  if (surroundings.editsLines) Object.assign(err.stream, { isTTY: true, columns: 80 })
  const never = new AbortController().signal
  const terminal: Terminal = {
    out: out.stream,
    err: err.stream,
    input: Readable.from(type(answer)),
    env,
    cwd,
    canAsk: answer !== undefined,
    colour: false,
    errColour: false,
    canRedraw: surroundings.redraws === true,
    interrupt: surroundings.interrupt ?? never,
    halt: never,
  }
  const exit = await runProgram(await loadCommands(words), words, terminal)
  return { exit, out: out.text(), err: err.text() }
}

async function* type(answer: Surroundings['answer']) {
  if (answer !== undefined) yield `${typeof answer === 'string' ? answer : await answer()}\n`
}

function collectText(onText?: (text: string) => void) {
  const pieces: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      pieces.push(chunk.toString())
      onText?.(chunk.toString())
      done()
    },
  })
  return { stream, text: () => pieces.join('') }
}
