import type { Ask } from './server.ts'
import { createLayer, createResource, createStyle } from './tree.ts'

/** Ids of a group, a layer in it, and a style of the layer. */
export interface StyledLayer {
  readonly group: number
  readonly layer: number
  readonly style: number
}

let count = 0

/** Creates a group with a point layer and its style. */
export async function createStyledLayer(ask: Ask): Promise<StyledLayer> {
  count += 1
  const group = await createResource(ask, { cls: 'resource_group', name: `Group ${count}` })
  const layer = await createLayer(ask, { name: 'Points', parent: group, geometryType: 'POINT' })
  return { group, layer, style: await createStyle(ask, { parent: layer, name: 'Style' }) }
}

/** Uploads content as one unnamed file, and returns the upload object. */
export async function uploadContent(ask: Ask, content: Uint8Array | string) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const answer = await ask('PUT', '/api/component/file_upload/', bytes)
  return answer.json<{ id: string; mime_type: string; size: number }>()
}

/** Reads one member of a resource. */
export async function readMember<T = Record<string, unknown>>(
  ask: Ask,
  id: number,
  member: string,
): Promise<T> {
  const body = await (await ask('GET', `/api/resource/${id}`)).json<Record<string, T>>()
  return body[member] as T
}
