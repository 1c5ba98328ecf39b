import type { Representation } from '../contract/bodies.ts'
import { decodeResource, type WireResource } from '../contract/dialect_codec.ts'
import { problem } from '../contract/problems.ts'
import { hasFeatures, isCls } from '../contract/registry.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { findHint } from '../core/suggest.ts'
import type { Api } from './api.ts'

/**
 * Finds the resource that a person names: by its keyname, its id, or the names on the way to it, from below the root, as
 * `City/Roads`. In the documents' names, whatever the server speaks.
 *
 * @throws {Problem} resource/not-found with what may have been meant, access/denied
 */
export async function getResource(api: Api, name: string, signal?: AbortSignal): Promise<Representation> {
  const query = { serialization: 'full' }
  const [byKeyname] = await api.call('resource.search', { query, more: [['keyname', name]], signal })
  if (byKeyname !== undefined) return represent(byKeyname)
  if (/^\d{1,15}$/.test(name))
    return represent(await api.call('resource.get', { params: { id: Number(name) }, signal }))
  const path = name.replace(/^\s*\/\s*/, '')
  const found = path === '' ? undefined : await findBelow({ api, signal }, 0, path)
  if (found !== undefined) return found
  throw await notFound(api, name, signal)
}

/**
 * Finds the layer that a person names.
 *
 * @throws {Problem} as `getResource`, and usage/bad-argument for what has no features
 */
export async function getFeatureLayer(
  api: Api,
  name: string,
  signal?: AbortSignal,
): Promise<Representation<'vector_layer'>> {
  const found = await getResource(api, name, signal)
  const { cls, display_name } = found.resource
  if (isCls(cls) && hasFeatures(cls)) return found as Representation<'vector_layer'>
  throw problem('usage/bad-argument', `"${display_name}" is a ${cls}, which has no features.`, {
    hint: 'Name a layer.',
    resource: found.resource.id,
  })
}

const represent = (wire: WireResource) => decodeResource(wire) as unknown as Representation

interface Asking {
  readonly api: Api
  readonly signal: AbortSignal | undefined
}

/** Names may hold slashes themselves, so that every child that the path begins with is followed. */
async function findBelow(asking: Asking, parent: number, path: string): Promise<Representation | undefined> {
  const children = await listChildren(asking, parent)
  const exact = children.find(({ resource }) => resource.display_name === path)
  if (exact !== undefined) return exact
  for (const { resource } of children) {
    const rest = restOf(path, resource.display_name ?? '')
    const found = rest === undefined ? undefined : await findBelow(asking, resource.id, rest)
    if (found !== undefined) return found
  }
  return undefined
}

function restOf(path: string, name: string): string | undefined {
  if (!path.startsWith(name)) return undefined
  return /^\s*\/\s*(.+)$/s.exec(path.slice(name.length))?.[1]
}

async function listChildren({ api, signal }: Asking, parent: number): Promise<Representation[]> {
  try {
    return (await api.call('resource.list', { query: { parent }, signal })).map(represent)
  } catch (error) {
    if (isProblem(error) && error.status === 403) return []
    throw error
  }
}

async function notFound(api: Api, name: string, signal: AbortSignal | undefined): Promise<Problem> {
  const all = (await api.call('resource.search', { query: {}, signal })).map(represent)
  const called = all.flatMap(({ resource }) => (resource.display_name === name ? String(resource.id) : []))
  const known = all.flatMap(({ resource }) => [resource.keyname ?? [], resource.display_name ?? []].flat())
  if (called.length > 1)
    return problem('resource/not-found', `${called.length} resources are called "${name}".`, {
      hint: `Name the one that is meant by its id, its keyname, or its path: ${called.join(', ')}.`,
    })
  if (called.length === 1)
    return problem(
      'resource/not-found',
      `There is no resource "${name}" at the top, and none of that keyname.`,
      {
        hint: `Elsewhere, ${called[0]} is called so: name it by that id, its keyname, or its path.`,
      },
    )
  const hint = findHint(name, known) ?? 'Name it by keyname, id, or path, as City/Roads.'
  return problem('resource/not-found', `There is no resource "${name}" that this account may read.`, { hint })
}
