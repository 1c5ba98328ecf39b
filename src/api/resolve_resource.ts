import type { Representation } from '../contract/bodies/bodies.ts'
import { decodeResource, type WireResource } from '../contract/dialect/dialect_codec.ts'
import { problem } from '../contract/problems.ts'
import { hasFeatures, isCls } from '../contract/registry.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { findHint } from '../core/suggest.ts'
import type { Api } from './api.ts'

/**
 * Finds a resource by keyname, id, or path of display names below the root, such as `City/Roads`. The result has the
 * names of the documents, regardless of the dialect of the server.
 *
 * @throws {Problem} resource/not-found with a suggestion, access/denied
 */
export function resolveResource(api: Api, name: string, signal?: AbortSignal): Promise<Representation> {
  return find(api, { name, signal, isWanted: () => true })
}

interface Wanted {
  readonly name: string
  readonly signal: AbortSignal | undefined
  /** Whether a resource of a class may be suggested instead. */
  readonly isWanted: (cls: string) => boolean
}

async function find(api: Api, wanted: Wanted): Promise<Representation> {
  const { name, signal } = wanted
  const query = { serialization: 'full' }
  const [byKeyname] = await api.call('resource.search', { query, more: [['keyname', name]], signal })
  if (byKeyname !== undefined) return represent(byKeyname)
  if (/^\d{1,15}$/.test(name))
    return represent(await api.call('resource.get', { params: { id: Number(name) }, signal }))
  const path = name.replace(/^\s*\/\s*/, '')
  const found = path === '' ? undefined : await findBelow({ api, signal }, 0, path)
  if (found !== undefined) return found
  throw await notFound(api, wanted)
}

/**
 * Finds a layer with features by keyname, id, or path.
 *
 * @throws {Problem} as `resolveResource`, and usage/bad-argument for a resource without features
 */
export async function resolveFeatureLayer(
  api: Api,
  name: string,
  signal?: AbortSignal,
): Promise<Representation<'vector_layer'>> {
  const isLayer = (cls: string) => isCls(cls) && hasFeatures(cls)
  const found = await find(api, { name, signal, isWanted: isLayer })
  const { cls, display_name } = found.resource
  if (isLayer(cls)) return found as Representation<'vector_layer'>
  throw problem('usage/bad-argument', `"${display_name}" is a ${cls}, which has no features.`, {
    hint:
      cls === 'raster_layer'
        ? 'Download its original file with landform data export, to a file with the extension .tif.'
        : 'Name a layer with features.',
    resource: found.resource.id,
  })
}

const represent = (wire: WireResource) => decodeResource(wire) as unknown as Representation

interface Lookup {
  readonly api: Api
  readonly signal: AbortSignal | undefined
}

/** Follows every child that the path starts with, because display names may contain slashes. */
async function findBelow(lookup: Lookup, parent: number, path: string): Promise<Representation | undefined> {
  const children = await listChildren(lookup, parent)
  const exact = children.find(({ resource }) => resource.display_name === path)
  if (exact !== undefined) return exact
  for (const { resource } of children) {
    const rest = restOf(path, resource.display_name ?? '')
    const found = rest === undefined ? undefined : await findBelow(lookup, resource.id, rest)
    if (found !== undefined) return found
  }
  return undefined
}

function restOf(path: string, name: string): string | undefined {
  if (!path.startsWith(name)) return undefined
  return /^\s*\/\s*(.+)$/s.exec(path.slice(name.length))?.[1]
}

async function listChildren({ api, signal }: Lookup, parent: number): Promise<Representation[]> {
  try {
    return (await api.call('resource.list', { query: { parent }, signal })).map(represent)
  } catch (error) {
    if (isProblem(error) && error.status === 403) return []
    throw error
  }
}

async function notFound(api: Api, { name, signal, isWanted }: Wanted): Promise<Problem> {
  const all = (await api.call('resource.search', { query: {}, signal })).map(represent)
  const named = all.flatMap(({ resource }) => (resource.display_name === name ? String(resource.id) : []))
  if (named.length > 1)
    return problem('resource/not-found', `${named.length} resources have the name "${name}".`, {
      hint: `Use an id, keyname or path instead. Ids: ${named.join(', ')}.`,
    })
  if (named.length === 1)
    return problem(
      'resource/not-found',
      `No resource at the top level has the name "${name}", and none has that keyname.`,
      {
        hint: `Resource ${named[0]}, at another level, has that name: use its id, keyname or path.`,
      },
    )
  const suggested = all.filter(({ resource }) => isWanted(resource.cls))
  const hint = hintFor(name, suggested) ?? 'Use a keyname, an id, or a path such as City/Roads.'
  return problem('resource/not-found', `There is no resource "${name}" that this account can read.`, { hint })
}

/** Suggests a key rather than a name, which others may have, too. */
function hintFor(name: string, suggested: readonly Representation[]): string | undefined {
  const keys = suggested.flatMap(({ resource }) => resource.keyname ?? [])
  const words = name.toLowerCase()
  const longer = keys.filter((key) =>
    key
      .toLowerCase()
      .split(/[^\p{L}\d]+/u)
      .includes(words),
  )
  const names = suggested.flatMap(({ resource }) => resource.display_name ?? [])
  return findHint(name, keys) ?? findHint(longer[0] ?? '', longer) ?? findHint(name, names)
}
