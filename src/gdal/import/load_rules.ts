import type { Static } from 'typebox'
import type { vectorLayer } from '../../contract/classes/vector_layer.ts'
import { type GeometryParts, geometryParts } from '../../contract/geometry.ts'
import type { LoadRules } from '../runner/vector_job.ts'

/** Members of a vector layer that control how a source is loaded. */
export type LoadMembers = Partial<Static<(typeof vectorLayer)['members']['vector_layer']>>

/**
 * Returns the rules for loading a source. A geometry type in the request has the same effect as the cast options. An
 * existing layer stays multi and keeps its Z, so that its type is only ever widened.
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
