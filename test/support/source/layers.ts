import { listImports, resolveRelative } from './imports.ts'
import { faultAt, type Source } from './source.ts'

/** Folders of one row, or those on the left and the right side of the bar. */
type Row = readonly string[] | { readonly left: readonly string[]; readonly right: readonly string[] }

/**
 * The folders of `src/`, top to bottom. A folder imports only folders of lower rows, and neither side of the bar
 * imports the other. A file directly in `src/` counts as a folder of its name.
 */
export const rows: readonly Row[] = [
  ['index'],
  ['cli'],
  ['pulumi'],
  ['provider'],
  { left: ['reconcile', 'pipeline'], right: ['server'] },
  // Above the parsers of capabilities, which its checks use.
  { left: [], right: ['catalog'] },
  { left: ['manifest', 'transfer'], right: ['render', 'ogc', 'import'] },
  { left: ['api'], right: ['store'] },
  ['database', 'http', 'gdal'],
  // Below the other doors: GDAL unpacks archives before it reads their content.
  ['files'],
  ['access', 'style', 'document', 'geo'],
  ['contract'],
  ['core'],
]

/** Browser code: outside the rows, not imported by any other folder. */
const browser = { folder: 'web', imports: ['contract', 'style', 'geo'] }

interface Position {
  readonly row: number
  readonly side: 'left' | 'right' | 'middle'
}

const positions = new Map<string, Position>(
  rows.flatMap((row, at) => {
    const sides = isUndivided(row) ? { middle: row } : row
    return Object.entries(sides).flatMap(([side, folders]) =>
      folders.map((folder): [string, Position] => [folder, { row: at, side: side as Position['side'] }]),
    )
  }),
)

function isUndivided(row: Row): row is readonly string[] {
  return Array.isArray(row)
}

/** Finds forbidden imports of a file in `src/`. */
export function checkLayers(source: Source): string[] {
  const from = folderOf(source.path)
  if (!positions.has(from) && from !== browser.folder)
    return [`${source.path}:1 src/${from} is not in the table of rows`]
  return listImports(source).flatMap(({ specifier, offset }) => {
    if (specifier === undefined)
      return [faultAt(source, offset, 'has a computed import, which cannot be checked')]
    const path = resolveRelative(source.path, specifier)
    if (path === undefined) return []
    if (path === 'package.json') return []
    const reason = path.startsWith('src/') ? forbids(from, folderOf(path)) : 'which is outside src'
    return reason === undefined ? [] : [faultAt(source, offset, `imports ${path}, ${reason}`)]
  })
}

function forbids(from: string, to: string): string | undefined {
  if (from === to) return undefined
  if (from === browser.folder)
    return browser.imports.includes(to) ? undefined : 'which the browser must not load'
  const [upper, lower] = [positions.get(from), positions.get(to)]
  if (upper === undefined || lower === undefined) return `and ${from} → ${to} is not in the table of rows`
  if (upper.row === lower.row) return 'which is in its own row'
  if (upper.row > lower.row) return 'which is above it'
  if (upper.side !== 'middle' && lower.side !== 'middle' && upper.side !== lower.side) {
    return 'which is on the other side of the bar'
  }
  return undefined
}

/** `core` of `src/core/span.ts`, `index` of `src/index.ts`. */
export function folderOf(path: string): string {
  const name = path.split('/')[1] ?? ''
  return name.replace(/\.ts$/, '')
}
