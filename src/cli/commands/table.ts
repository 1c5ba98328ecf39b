import type { CommandGroup, CommandSpec } from '../command.ts'

/** Loader of each command, in the order of the help. */
const loaders: Readonly<Record<string, () => Promise<CommandSpec | CommandGroup>>> = {
  init: async () => (await import('./init.ts')).initCommand,
  validate: async () => (await import('./validate.ts')).validateCommand,
  lint: async () => (await import('./lint.ts')).lintCommand,
  explain: async () => (await import('./explain.ts')).explainCommand,
  'convert-style': async () => (await import('./convert_style.ts')).convertStyleCommand,
  plan: async () => (await import('./plan.ts')).planCommand,
  capture: async () => (await import('./capture.ts')).captureCommand,
  apply: async () => (await import('./apply.ts')).applyCommand,
  adopt: async () => (await import('./adopt.ts')).adoptCommand,
  drift: async () => (await import('./drift.ts')).driftCommand,
  pull: async () => (await import('./pull.ts')).pullCommand,
  history: async () => (await import('./history.ts')).historyCommand,
  undo: async () => (await import('./undo.ts')).undoCommand,
  run: async () => (await import('./run.ts')).runCommand,
  catalog: async () => (await import('./catalog.ts')).catalogCommands,
  data: async () => (await import('./data.ts')).dataCommands,
  cache: async () => (await import('./cache.ts')).cacheCommands,
  schema: async () => (await import('./schema.ts')).schemaCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  start: async () => (await import('./start.ts')).startCommand,
  user: async () => (await import('./user.ts')).userCommands,
  group: async () => (await import('./group.ts')).groupCommands,
  completion: async () => (await import('./completion.ts')).completionCommand,
  token: async () => (await import('./token.ts')).tokenCommands,
}

/** Loads the command named by the first word, or all commands, for the help and for suggestions. */
export function loadCommands(words: readonly string[]): Promise<readonly (CommandSpec | CommandGroup)[]> {
  const [name = ''] = words
  const named = Object.hasOwn(loaders, name) ? loaders[name] : undefined
  return Promise.all((named === undefined ? Object.values(loaders) : [named]).map((load) => load()))
}
