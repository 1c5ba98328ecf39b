import { Command, CommanderError } from 'commander'
import { isProblem, type Problem } from '../core/problem.ts'
import type { CommandGroup, CommandInput, CommandSpec } from './command.ts'
import { writeIssueEvent, writeProblemEvent } from './print/events.ts'
import { type Terminal, writeLine } from './terminal.ts'
import { programVersion } from './version.ts'

/** Runs the command, and returns the exit code. Reports all errors instead of throwing them. */
export async function runProgram(
  commands: readonly (CommandSpec | CommandGroup)[],
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const result = { exit: 0 }
  const program = buildProgram(commands, terminal, (exit) => {
    result.exit = exit
  })
  try {
    await program.parseAsync([...words], { from: 'user' })
    return result.exit
  } catch (error) {
    // The parser has reported the invalid arguments.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 3
    return reportFailure(error, words.includes('--json'), terminal)
  }
}

/** Declares the commands for the parser. `finish` takes the exit code of the command that has run. */
export function buildProgram(
  commands: readonly (CommandSpec | CommandGroup)[],
  terminal: Terminal,
  finish: (exit: number) => void,
): Command {
  const program = new Command('landform')
    .description('GIS as code: plan and apply trees of maps and layers, or serve them.')
    .version(programVersion(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .showHelpAfterError('(see --help)')
  settle(program, terminal)
  const run = async (spec: CommandSpec, input: CommandInput) => finish(await spec.run(input, terminal))
  for (const spec of commands) {
    const command = program.command(spec.name).description(spec.summary)
    settle(command, terminal)
    if ('run' in spec) addCommand(command, spec, run)
    else addGroup(command, spec, run)
  }
  return program
}

type Run = (spec: CommandSpec, input: CommandInput) => Promise<void>

function addGroup(parent: Command, group: CommandGroup, run: Run): void {
  parent.helpOption('--help', 'print this help').helpCommand(false)
  for (const spec of group.commands) {
    const command = parent.command(spec.name).description(spec.summary).copyInheritedSettings(parent)
    addCommand(command, spec, run)
  }
}

function addCommand(command: Command, spec: CommandSpec, run: Run): void {
  spec.declare(command)
  command.helpOption('--help', 'print this help').addHelpText('after', examplesOf(spec))
  command.action(async (...words: unknown[]) => {
    // The parser passes the arguments, then the options, then itself.
    await run(spec, { arguments: words.slice(0, -2), options: command.opts() })
  })
}

function settle(command: Command, { out, err }: Terminal): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void out.write(text),
    writeErr: (text) => void err.write(text),
  })
}

function examplesOf({ examples, notes = [] }: CommandSpec): string {
  return `\n${notes.map((note) => `${note}\n\n`).join('')}Examples:\n${examples.map((example) => `  ${example}`).join('\n')}`
}

function reportFailure(error: unknown, json: boolean, { out, err }: Terminal): number {
  if (!isProblem(error)) {
    writeLine(err, `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return 1
  }
  if (json) {
    for (const issue of error.issues) writeIssueEvent(out, issue)
    writeProblemEvent(out, error)
  }
  writeLine(err, formatProblem(error))
  return error.exit ?? 1
}

/** Formats a Problem: details, code with message, hint. */
export function formatProblem({ code, message, hint, detail }: Problem): string {
  return [
    ...(detail === undefined ? [] : [detail]),
    `error ${code}: ${message}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
  ].join('\n')
}
