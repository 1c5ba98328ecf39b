import { purgeCommand } from '../cache/purge.ts'
import { seedCommand } from '../cache/seed.ts'
import { statCommand } from '../cache/stat.ts'
import type { CommandGroup } from '../command.ts'

/** The commands `cache stat`, `cache purge` and `cache seed`. */
export const cacheCommands: CommandGroup = {
  name: 'cache',
  summary: 'tiles that a server keeps of styles',
  commands: [statCommand, purgeCommand, seedCommand],
}
