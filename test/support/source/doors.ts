import { listImports, packageOf } from './imports.ts'
import { folderOf } from './layers.ts'
import { faultAt, listNodes, type Source } from './source.ts'

/** External systems by package, and the folders of `src/` that may import it. A pattern ends with `*`. */
export const doors: Readonly<Record<string, readonly string[]>> = {
  pg: ['database'],
  'pg-*': ['database'],
  '@electric-sql/*': ['database'],
  'graphile-worker': ['pipeline'],
  croner: ['pipeline'],
  undici: ['http'],
  'gdal-async': ['gdal'],
  fastify: ['server'],
  '@fastify/*': ['server'],
  '@pulumi/*': ['provider', 'pulumi'],
  '@aws-sdk/*': ['files'],
  sharp: ['render'],
  '@napi-rs/*': ['render'],
  commander: ['cli'],
  ol: ['web'],
  'ol/*': ['web'],
  'node:child_process': ['cli', 'gdal'],
  'node:http': ['http', 'server'],
  'node:https': ['http', 'server'],
  'node:http2': ['http', 'server'],
  // A GDAL child process writes its rows to a pipe, which Node represents as a socket.
  'node:net': ['http', 'server', 'gdal'],
  'node:tls': ['http', 'server'],
  'node:dns': ['http', 'server'],
  'node:dgram': [],
}

/** Folders of pure functions: no files, sockets, processes or threads. */
const pure = ['core', 'contract', 'access', 'style', 'geo', 'web']

/** Node modules without side effects. */
const pureModules = [
  'assert',
  'buffer',
  'crypto',
  'events',
  'path',
  'querystring',
  'string_decoder',
  'url',
  'util',
  'zlib',
]

/** Finds imports of external packages and modules that are not allowed in the folder of a file in `src/`. */
export function checkDoors(source: Source): string[] {
  const folder = folderOf(source.path)
  const imported = listImports(source).flatMap(({ specifier, offset }) => {
    if (specifier === undefined || specifier.startsWith('.')) return []
    const reason = forbids(folder, packageOf(specifier))
    return reason === undefined ? [] : [faultAt(source, offset, `imports ${specifier}, ${reason}`)]
  })
  return [...imported, ...checkFetch(source, folder), ...checkProcess(source)]
}

function forbids(folder: string, name: string): string | undefined {
  if (isBuiltin(name) && !name.startsWith('node:')) return 'which must be written as node:…'
  const owners = Object.entries(doors).find(([pattern]) => matches(pattern, name))?.[1]
  if (owners !== undefined && !owners.includes(folder))
    return owners.length === 0 ? 'which no folder may import' : `which only ${owners.join(', ')} may import`
  if (!name.startsWith('node:') || !pure.includes(folder)) return undefined
  return pureModules.includes(name.slice('node:'.length)) ? undefined : `and ${folder} is pure`
}

const isBuiltin = (name: string) =>
  [...pureModules, 'fs', 'http', 'https', 'net', 'os', 'stream'].includes(name)

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

// The built-in fetch lacks our time-outs and limits.
function checkFetch(source: Source, folder: string): string[] {
  if (folder === 'http' || folder === 'web') return []
  return listNodes(source).flatMap((node) =>
    node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'fetch'
      ? [faultAt(source, node.start, 'calls fetch: use src/http')]
      : [],
  )
}

/** Only the command line and the entry files of workers and child processes may use `process`. */
function checkProcess(source: Source): string[] {
  if (/^src\/cli\/|[./](worker|child)\.ts$/.test(source.path)) return []
  const used = listNodes(source).filter(
    (node) =>
      node.type === 'MemberExpression' && node.object.type === 'Identifier' && node.object.name === 'process',
  )
  const imported = listImports(source).filter(({ specifier }) => specifier === 'node:process')
  const offsets = [...used.map((node) => node.start), ...imported.map(({ offset }) => offset)]
  return offsets.map((offset) => faultAt(source, offset, 'uses process outside of cli, workers and children'))
}
