import type { Representation } from '../../contract/bodies/bodies.ts'

/** Layer in events. */
export interface LayerFacts {
  readonly id: number
  readonly keyname: string | null
  readonly display_name: string
}

/** Returns the properties of a layer for events. */
export function layerFacts({ resource }: Representation): LayerFacts {
  const { id = 0, keyname = null, display_name = '' } = resource
  return { id, keyname, display_name }
}

/** Formats a layer with its identifiers: `Cities (id = 12, keyname cities)`. */
export function nameLayer(facts: LayerFacts): string {
  const { id, keyname, display_name } = facts
  return `${display_name} (id = ${id}${keyname === null ? '' : `, keyname ${keyname}`})`
}
