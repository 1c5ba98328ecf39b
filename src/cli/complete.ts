import type { Command, Option } from 'commander'
import { loadCommands } from './commands/table.ts'
import { buildProgram } from './program.ts'
import { type Terminal, writeLine } from './terminal.ts'

/** A word that can complete a command line. */
export interface Completion {
  readonly word: string
  readonly description: string
}

/**
 * Prints the completions of a command line, a line each: the word, a tab, its description. The scripts of
 * `landform completion` complete file names where there are none.
 *
 * @param words the words after `landform`; the last one is to be completed
 */
export async function completeWords(words: readonly string[], terminal: Terminal): Promise<void> {
  const program = buildProgram(await loadCommands([]), terminal, () => undefined)
  const found = listCompletions(program, words)
  if (found.length === 0) return
  writeLine(terminal.out, found.map(({ word, description }) => `${word}\t${description}`).join('\n'))
}

/** Lists the completions of the last word: commands, options, or the choices of the option before it. */
export function listCompletions(program: Command, words: readonly string[]): Completion[] {
  const written = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const command = findCommand(program, written)
  const option = findOption(command, written.at(-1))
  const found = option === undefined ? listWords(command, last) : listChoices(option)
  return found.filter(({ word }) => word.startsWith(last))
}

/** Follows the names of commands as far as they go. */
function findCommand(program: Command, words: readonly string[]): Command {
  let command = program
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  return command
}

/** Finds the option whose value the next word is. */
function findOption(command: Command, word: string | undefined): Option | undefined {
  const found = command.options.find(({ long, short }) => word !== undefined && [long, short].includes(word))
  return found?.required || found?.optional ? found : undefined
}

function listWords(command: Command, last: string): Completion[] {
  if (last.startsWith('-'))
    return command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, description }) => (long ? [{ word: long, description }] : []))
  const commands = command.commands.map((one) => ({ word: one.name(), description: one.description() }))
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, description })),
  )
  return [...commands, ...choices]
}

function listChoices({ argChoices = [], description }: Option): Completion[] {
  return argChoices.map((word) => ({ word, description }))
}
