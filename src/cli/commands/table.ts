import type { CommandSpec } from '../command.ts'
import { applyCommand } from './apply.ts'
import { planCommand } from './plan.ts'
import { pullCommand } from './pull.ts'
import { runCommand } from './run.ts'
import { schemaCommand } from './schema.ts'
import { serveCommand } from './serve.ts'
import { startCommand } from './start.ts'
import { validateCommand } from './validate.ts'

/** Every command, in the order of the help. A new one is one file here and one row. */
export const commands: readonly CommandSpec[] = [
  validateCommand,
  planCommand,
  applyCommand,
  pullCommand,
  runCommand,
  schemaCommand,
  serveCommand,
  startCommand,
]
