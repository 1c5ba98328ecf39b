import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** Declaration of a command. */
export interface CommandSpec {
  readonly name: string
  readonly summary: string
  /** Example lines of the help, below the options. */
  readonly examples: readonly string[]
  /** Paragraphs of the help, below the options. */
  readonly notes?: readonly string[]
  /** Declares arguments and options. */
  declare(command: Command): Command
  /**
   * Runs the command.
   *
   * @returns the exit code
   * @throws {Problem} which is printed, and determines the exit code
   */
  run(input: CommandInput, terminal: Terminal): Promise<number>
}

/** Group of commands: `landform user list`, `landform user create`, … */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly commands: readonly CommandSpec[]
}

/** Parsed command line: arguments by position, options by name in camel case. */
export interface CommandInput {
  readonly arguments: readonly unknown[]
  readonly options: Readonly<Record<string, unknown>>
}
