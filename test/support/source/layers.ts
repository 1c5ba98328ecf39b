import { listImports, resolveRelative } from './imports.ts'
import { faultAt, type Source } from './source.ts'

/** The folders of one row; those beside the bar are on its left or right side. */
type Row = readonly string[] | { readonly left: readonly string[]; readonly right: readonly string[] }

/**
 * The folders of `src/`, top to bottom. A folder imports folders of lower rows only, never its own row, never upward;
 * left and right never meet. A file directly in `src/` is a folder of its own name.
 */
export const rows: readonly Row[] = [
  ['index'],
  ['cli'],
  ['provider'],
  { left: ['reconcile', 'pipeline'], right: ['server'] },
  { left: ['manifest', 'transfer'], right: ['render', 'ogc', 'catalog', 'import'] },
  { left: ['api'], right: ['store'] },
  ['database', 'http', 'gdal'],
  // Under the other doors: GDAL unpacks archives before it reads what is in them.
  ['files'],
  ['access', 'style', 'document', 'geo'],
  ['contract'],
  ['core'],
]

/** Browser code: outside of the rows, imported by none. */
const browser = { folder: 'web', imports: ['contract', 'style', 'geo'] }

interface Place {
  readonly row: number
  readonly side: 'left' | 'right' | 'middle'
}

const places = new Map<string, Place>(
  rows.flatMap((row, at) => {
    const sides = isPlain(row) ? { middle: row } : row
    return Object.entries(sides).flatMap(([side, folders]) =>
      folders.map((folder): [string, Place] => [folder, { row: at, side: side as Place['side'] }]),
    )
  }),
)

function isPlain(row: Row): row is readonly string[] {
  return Array.isArray(row)
}

/** Finds the imports of a file in `src/` that the table forbids. */
export function checkLayers(source: Source): string[] {
  const from = folderOf(source.path)
  if (!places.has(from) && from !== browser.folder)
    return [`${source.path}:1 src/${from} is not in the table of rows`]
  return listImports(source).flatMap(({ specifier, offset }) => {
    if (specifier === undefined)
      return [faultAt(source, offset, 'imports something computed, which nobody can check')]
    const path = resolveRelative(source.path, specifier)
    if (path === undefined) return []
    if (path === 'package.json') return []
    const reason = path.startsWith('src/') ? forbids(from, folderOf(path)) : 'which is outside of src'
    return reason === undefined ? [] : [faultAt(source, offset, `imports ${path}, ${reason}`)]
  })
}

function forbids(from: string, to: string): string | undefined {
  if (from === to) return undefined
  if (from === browser.folder)
    return browser.imports.includes(to) ? undefined : 'which the browser must not load'
  const [upper, lower] = [places.get(from), places.get(to)]
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
