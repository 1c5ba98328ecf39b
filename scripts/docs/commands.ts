import { type Argument, Command, type Option } from 'commander'
import type { CommandGroup, CommandSpec } from '../../src/cli/command.ts'
import { loadCommands } from '../../src/cli/commands/table.ts'
import { formatCode, formatTable, joinParts } from './markdown.ts'

/** A command as the program declares it. */
export interface DeclaredCommand {
  /** Words that call it: `data import`. */
  readonly name: string
  readonly spec: CommandSpec
  readonly command: Command
}

/** Exit codes of all commands. */
const exitCodes = [
  ['0', 'Success, or nothing to do.'],
  ['1', 'The command failed.'],
  ['2', 'The plan contains changes (`plan --exit-code`).'],
  ['3', 'The input is invalid: arguments, manifest, pipeline or file.'],
  ['4', 'Too many rows were quarantined, or a load would lose data.'],
  ['5', 'A policy refuses the plan (`--policy`, `--forbid-public-gain`, `--forbid-gain`).'],
  ['130', 'Interrupted with Ctrl-C.'],
]

/** Loads all commands with their declared arguments and options. */
export async function loadDeclared(): Promise<readonly DeclaredCommand[]> {
  const entries = await loadCommands([])
  return entries.flatMap((entry) => listSpecs(entry).map(({ name, spec }) => declare(name, spec)))
}

function listSpecs(entry: CommandSpec | CommandGroup): { name: string; spec: CommandSpec }[] {
  if ('run' in entry) return [{ name: entry.name, spec: entry }]
  return entry.commands.map((spec) => ({ name: `${entry.name} ${spec.name}`, spec }))
}

function declare(name: string, spec: CommandSpec): DeclaredCommand {
  return { name, spec, command: spec.declare(new Command(spec.name)) }
}

/** Prints the page of the commands. */
export async function printCommands(): Promise<string> {
  const declared = await loadDeclared()
  return joinParts(
    '# Commands',
    'Every command has `--help`. Results go to standard output, everything else to standard error. The environment variables are listed in [environment.md](environment.md).',
    formatTable(
      ['Command', 'Purpose'],
      declared.map(({ name, spec }) => [`[\`landform ${name}\`](#${anchorOf(name)})`, spec.summary]),
    ),
    '## Exit codes',
    formatTable(['Code', 'Meaning'], exitCodes),
    declared.map(printCommand),
  )
}

function anchorOf(name: string): string {
  return `landform-${name.replaceAll(' ', '-')}`
}

function printCommand({ name, spec, command }: DeclaredCommand): string {
  const words = ['landform', name, ...command.registeredArguments.map(formatArgument)].join(' ')
  const examples = spec.examples.length === 0 ? [] : [`\`\`\`sh\n${spec.examples.join('\n')}\n\`\`\``]
  return [
    `## landform ${name}`,
    `${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.`,
    `Usage: \`${words}${command.options.length > 0 ? ' [options]' : ''}\``,
    ...printArguments(command.registeredArguments),
    ...printOptions(command.options),
    ...(spec.notes ?? []).map((note) => `\`\`\`text\n${note}\n\`\`\``),
    ...examples,
  ].join('\n\n')
}

function formatArgument(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

function printArguments(declared: readonly Argument[]): string[] {
  if (declared.length === 0) return []
  const rows = declared.map((argument) => [formatCode(formatArgument(argument)), argument.description])
  return [formatTable(['Argument', 'Meaning'], rows)]
}

function printOptions(options: readonly Option[]): string[] {
  if (options.length === 0) return []
  const rows = options.map((option) => [
    formatCode(option.flags),
    option.description,
    choicesOf(option),
    defaultOf(option),
  ])
  return [formatTable(['Option', 'Meaning', 'Values', 'Default'], rows)]
}

function choicesOf({ argChoices = [] }: Option): string {
  return argChoices.map(formatCode).join(', ')
}

function defaultOf({ defaultValue, defaultValueDescription, negate }: Option): string {
  if (negate || defaultValue === undefined) return ''
  return formatCode(defaultValueDescription ?? String(defaultValue))
}
