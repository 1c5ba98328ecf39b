import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { loadCommands } from '../../src/cli/commands/table.ts'
import { runProgram } from '../../src/cli/program.ts'

/** One fenced block of a story. */
export type StoryBlock =
  | { readonly kind: 'file'; readonly path: string; readonly text: string; readonly line: number }
  | {
      readonly kind: 'command'
      readonly command: string
      /** Expected output lines; `…` matches any text in a line, or any lines. */
      readonly expected: readonly string[]
      readonly exit: number
      readonly line: number
    }

/**
 * Parses the blocks of a Markdown story. A fence with a path after its language (```` ```yaml roads.yaml ````) is a
 * file; a `console` fence contains commands after `$ ` and their output, and may have `exit=3` in its info string.
 */
export function parseStory(markdown: string): StoryBlock[] {
  const blocks: StoryBlock[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^```(\S+)\s*(.*)$/.exec(lines[at] ?? '')
    if (fence === null) continue
    const end = lines.indexOf('```', at + 1)
    if (end < 0) throw new Error(`line ${at + 1}: unclosed fence`)
    const [, language = '', info = ''] = fence
    blocks.push(...blocksOf({ language, info, lines: lines.slice(at + 1, end), line: at + 2 }))
    at = end
  }
  return blocks
}

interface Fence {
  readonly language: string
  readonly info: string
  readonly lines: readonly string[]
  readonly line: number
}

function blocksOf({ language, info, lines, line }: Fence): StoryBlock[] {
  if (language !== 'console')
    return info === '' ? [] : [{ kind: 'file', path: info, text: `${lines.join('\n')}\n`, line }]
  const exit = Number(/exit=(\d+)/.exec(info)?.[1] ?? 0)
  const starts = lines.flatMap((text, index) => (text.startsWith('$ ') ? [index] : []))
  return starts.map((start, nth) => ({
    kind: 'command',
    command: (lines[start] ?? '').slice(2),
    expected: lines
      .slice(start + 1, starts[nth + 1])
      .filter((text, index, all) => text !== '' || index < all.length - 1),
    // Only the last command of a block may fail.
    exit: nth === starts.length - 1 ? exit : 0,
    line: line + start,
  }))
}

/** Result of a command. */
export interface CommandResult {
  readonly output: string
  readonly exit: number | null
}

/** Working folder and environment of a story. */
export interface StoryContext {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Writes a file of a story. */
export async function writeStoryFile(context: StoryContext, path: string, text: string): Promise<void> {
  const target = join(context.folder, path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, text)
}

/**
 * Runs a command of a story; the output of both streams is interleaved. A plain `landform` runs in this process, which saves half
 * a second; anything else runs in a shell.
 */
export async function runStoryCommand(context: StoryContext, command: string): Promise<CommandResult> {
  const plain = parsePlain(command)
  return plain === undefined ? runInShell(context, command) : runHere(context, plain)
}

/** A `landform` without other programs, expansions and redirections. */
export interface PlainCommand {
  readonly words: readonly string[]
  /** Variables set for this command. */
  readonly env: Readonly<Record<string, string>>
  /** Text of `|| echo "… $?"`, before the exit code. */
  readonly echo: string | undefined
}

const word = String.raw`(?:[\w./:=,@%#+-]+|"[^"$\x60\\]*")`
const plainPattern = new RegExp(
  String.raw`^((?:[A-Z_]+=${word} )*)landform((?: ${word})*)(?: \|\| echo "([\w ]*)\$\?")?$`,
)

/** Parses a command as a shell does, if it is plain: `A="b c" landform plan || echo "exit $?"`. */
export function parsePlain(command: string): PlainCommand | undefined {
  const [match, variables = '', words = '', echo] = plainPattern.exec(command) ?? []
  if (match === undefined) return undefined
  const valuesOf = (text: string, pattern: string) =>
    [...text.matchAll(new RegExp(pattern, 'g'))].map(([one]) => one.replaceAll('"', ''))
  const env = valuesOf(variables, `[A-Z_]+=${word}`).map((one) => {
    const at = one.indexOf('=')
    return [one.slice(0, at), one.slice(at + 1)]
  })
  return { words: valuesOf(words, word), env: Object.fromEntries(env), echo }
}

async function runHere({ folder, env }: StoryContext, command: PlainCommand): Promise<CommandResult> {
  const words = [...command.words]
  let output = ''
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      output += chunk
      done()
    },
  })
  const { signal } = new AbortController()
  const exit = await runProgram(await loadCommands(words), words, {
    ...{
      out: stream,
      err: stream,
      input: Readable.from([]),
      env: { ...env, ...command.env },
      cwd: folder,
      interrupt: signal,
      halt: signal,
    },
    ...{ canAsk: false, canRedraw: false, colour: false, errColour: false },
  })
  if (exit === 0 || command.echo === undefined) return { output, exit }
  return { output: `${output}${command.echo}${exit}\n`, exit: 0 }
}

function runInShell(context: StoryContext, command: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec 2>&1; ${command}`], { cwd: context.folder, env: context.env })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (exit) => resolve({ output, exit }))
  })
}

/** Reports whether an output matches the expected lines of a story. */
export function matchesStory(output: string, expected: readonly string[]): boolean {
  const pattern = expected
    .map((line) => (line.trim() === '…' ? '(?:.*\n)*?' : `${linePattern(line)}[ \t]*\n`))
    .join('')
  const text = output === '' || output.endsWith('\n') ? output : `${output}\n`
  return new RegExp(`^${pattern}$`).test(text)
}

function linePattern(line: string): string {
  return line
    .trimEnd()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
}
