import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { printClasses } from './classes.ts'
import { printCommands } from './commands.ts'
import { printEnvironment } from './environment.ts'
import { printFileFields } from './files.ts'
import { printFormats } from './formats.ts'
import { drawLayers } from './layers.ts'
import { printProblems } from './problems.ts'
import { printPulumiClasses } from './pulumi_classes.ts'
import { printRoutes } from './routes.ts'

/** Folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Folder of the printed pages, from the root of the repository. */
export const referenceFolder = 'docs/reference'

const notice = '<!-- Printed from the source by `npm run docs`. Do not edit. -->'

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'commands.md': printCommands,
  'environment.md': printEnvironment,
  'problems.md': printProblems,
  'classes.md': printClasses,
  'files.md': printFileFields,
  'formats.md': printFormats,
  'routes.md': printRoutes,
}

/** Prints all files that come from the source, by path. */
export async function printFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const [name, print] of Object.entries(pages))
    files.set(`${referenceFolder}/${name}`, `${notice}\n\n${await print()}`)
  for (const [path, text] of printPulumiClasses()) files.set(path, text)
  files.set(
    'ARCHITECTURE.md',
    replacePart(await readFile(`${root}ARCHITECTURE.md`, 'utf8'), 'layers', drawLayers()),
  )
  return files
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function replacePart(text: string, name: string, part: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The text has no part between ${start} and ${end}.`)
  return `${text.slice(0, from + start.length)}\n\n${part}\n\n${text.slice(to)}`
}
