import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** One command of the program, as the terminal sees it. */
export interface CommandSpec {
  readonly name: string
  readonly summary: string
  /** Lines of the help, below the options. */
  readonly examples: readonly string[]
  /** Paragraphs of the help, below the options. */
  readonly notes?: readonly string[]
  /** Declares arguments and options. */
  declare(command: Command): Command
  /**
   * Does it.
   *
   * @returns the exit code
   * @throws {Problem} which is printed, and decides the exit code
   */
  run(input: CommandInput, terminal: Terminal): Promise<number>
}

/** A family of commands: `landform user list`, `landform user create`, … */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly commands: readonly CommandSpec[]
}

/** What was typed: arguments by position, options by name in camel case. */
export interface CommandInput {
  readonly arguments: readonly unknown[]
  readonly options: Readonly<Record<string, unknown>>
}
