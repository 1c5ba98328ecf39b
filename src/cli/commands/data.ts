import type { CommandGroup } from '../command.ts'
import { countCommand } from '../data/count.ts'
import { exportCommand } from '../data/export.ts'
import { headCommand } from '../data/head.ts'
import { importCommand } from '../data/import.ts'

/** The commands `data …`. */
export const dataCommands: CommandGroup = {
  name: 'data',
  summary: 'import and export layers, show and count features',
  commands: [importCommand, exportCommand, headCommand, countCommand],
}
