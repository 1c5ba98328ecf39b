import { checkCommand } from '../catalog/check.ts'
import { importCommand } from '../catalog/import.ts'
import { searchCommand } from '../catalog/search.ts'
import type { CommandGroup } from '../command.ts'

/** The commands `catalog …`. */
export const catalogCommands: CommandGroup = {
  name: 'catalog',
  summary: 'search, check and import geoservices of the catalog',
  commands: [searchCommand, importCommand, checkCommand],
}
