import type { Static } from 'typebox'
import type { vectorLayer } from '../contract/classes/vector_layer.ts'
import { type GeometryParts, geometryParts } from '../contract/geometry.ts'
import type { LoadRules } from './job.ts'

/** Members of a vector layer that say how a source becomes one. */
export type LoadMembers = Partial<Static<(typeof vectorLayer)['members']['vector_layer']>>

/**
 * Reads how the source becomes a layer. A geometry type that the request names is asked for like with the cast
 * options; a layer that stands stays multi and keeps its Z, so that its type only ever widens.
 */
export function loadRulesOf(own: LoadMembers, standing: GeometryParts | undefined): LoadRules {
  const named = own.geometry_type === undefined ? undefined : geometryParts(own.geometry_type)
  const skipOthers = own.skip_other_geometry_types ?? false
  return {
    family: own.cast_geometry_type ?? named?.family ?? null,
    isMulti: own.cast_is_multi ?? named?.isMulti ?? (standing?.isMulti === true ? true : null),
    hasZ: own.cast_has_z ?? named?.hasZ ?? (standing?.hasZ === true ? true : null),
    skipOthers,
    fix: own.fix_errors ?? 'NONE',
    skipErrors: own.skip_errors ?? false,
    idSource: own.fid_source ?? 'SEQUENCE',
    idFields: [own.fid_field ?? []]
      .flat()
      .flatMap((names) => names.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  }
}
