import type { Representation } from '../../contract/bodies.ts'

/** A layer as events tell it. */
export interface LayerFacts {
  readonly id: number
  readonly keyname: string | null
  readonly display_name: string
}

/** Gives what events tell of a layer. */
export function layerFacts({ resource }: Representation): LayerFacts {
  const { id = 0, keyname = null, display_name = '' } = resource
  return { id, keyname, display_name }
}

/** Gives the name of a layer as people see it, with what it may be called by: `Cities (id = 12, keyname cities)`. */
export function nameLayer(facts: LayerFacts): string {
  const { id, keyname, display_name } = facts
  return `${display_name} (id = ${id}${keyname === null ? '' : `, keyname ${keyname}`})`
}
