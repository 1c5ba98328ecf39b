import { listImports, packageOf } from './imports.ts'
import { folderOf } from './layers.ts'
import { faultAt, listNodes, type Source } from './source.ts'

/** Each outside power and the folders of `src/` that may touch it. A pattern ends with `*`. */
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
  '@pulumi/*': ['provider'],
  '@aws-sdk/*': ['files'],
  sharp: ['render'],
  '@napi-rs/*': ['render'],
  commander: ['cli'],
  listr2: ['cli'],
  ol: ['web'],
  'ol/*': ['web'],
  'node:child_process': ['cli', 'gdal'],
  'node:http': ['http', 'server'],
  'node:https': ['http', 'server'],
  'node:http2': ['http', 'server'],
  // A child of GDAL writes its rows into a pipe, which is a socket to Node.
  'node:net': ['http', 'server', 'gdal'],
  'node:tls': ['http', 'server'],
  'node:dns': ['http', 'server'],
  'node:dgram': [],
}

/** Folders that take values and give values: no file, no socket, no process, no thread. */
const pure = ['core', 'contract', 'access', 'style', 'geo', 'web']

/** What of Node needs no outside world. */
const harmless = [
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

/** Finds the outside powers that a file in `src/` touches from anywhere but their door. */
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
  if (isBuiltin(name) && !name.startsWith('node:')) return 'which is spelled node:… here'
  const owners = Object.entries(doors).find(([pattern]) => matches(pattern, name))?.[1]
  if (owners !== undefined && !owners.includes(folder))
    return `which only ${owners.join(', ') || 'nobody'} may touch`
  if (!name.startsWith('node:') || !pure.includes(folder)) return undefined
  return harmless.includes(name.slice('node:'.length)) ? undefined : `and ${folder} is pure`
}

const isBuiltin = (name: string) => [...harmless, 'fs', 'http', 'https', 'net', 'os', 'stream'].includes(name)

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

// Node's own fetch has neither our time-outs nor our limits.
function checkFetch(source: Source, folder: string): string[] {
  if (folder === 'http' || folder === 'web') return []
  return listNodes(source).flatMap((node) =>
    node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'fetch'
      ? [faultAt(source, node.start, 'calls fetch, which is the part of src/http')]
      : [],
  )
}

/** `process` belongs to the command line and to the entry files of workers and children. */
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
