import type { Geometry } from '../../geo/geometry.ts'
import type { FilterExpression, FilterGeometry, Operand } from '../../store/feature/filter_expression.ts'
import type { FesFilter, FesOperand } from '../filter/fes_filter.ts'
import type { GmlGeometry } from '../gml/read_gml.ts'
import { invalidParameter, shown } from '../ows_fault.ts'
import type { NamedSrs } from '../reference_system.ts'
import { type FeatureType, findIdOf, findProperty, readSrsName } from './feature_type.ts'

/** What the names of a filter are resolved with. */
export interface FilterScope {
  readonly type: FeatureType
  /** Reference system of geometries that do not name one. */
  readonly defaultSrs: NamedSrs
  /** EPSG codes whose first axis points north. */
  readonly northFirst: ReadonlySet<number>
}

/**
 * Resolves the names of a filter: properties to fields, identifiers to ids, and geometries to coordinates with x first.
 *
 * @throws {OwsFault} for unknown properties and reference systems
 */
export function resolveFilter(filter: FesFilter, scope: FilterScope): FilterExpression {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, items: filter.items.map((item) => resolveFilter(item, scope)) }
    case 'not':
      return { kind: 'not', item: resolveFilter(filter.item, scope) }
    case 'compare':
      return resolveComparison(filter, scope)
    case 'between':
      return {
        kind: 'between',
        field: fieldOf(scope, filter.property),
        lower: filter.lower,
        upper: filter.upper,
      }
    case 'like':
      return {
        kind: 'like',
        field: fieldOf(scope, filter.property),
        pattern: filter.pattern,
        matchCase: filter.matchCase,
      }
    case 'null': {
      const target = findProperty(scope.type, filter.property)
      return target === 'geometry'
        ? { kind: 'no-geometry' }
        : { kind: 'null', field: fieldOf(scope, filter.property) }
    }
    case 'ids':
      return { kind: 'ids', ids: filter.ids.flatMap((id) => findIdOf(scope.type, id) ?? []) }
    case 'spatial':
    case 'distance':
      return resolveSpatial(filter, scope)
  }
}

function resolveComparison(
  { operator, left, right, matchCase }: Extract<FesFilter, { readonly kind: 'compare' }>,
  scope: FilterScope,
): FilterExpression {
  const isId = (operand: FesOperand) =>
    'property' in operand && findProperty(scope.type, operand.property) === 'id'
  const literal = [left, right].find((operand) => 'literal' in operand)
  if ((isId(left) || isId(right)) && literal !== undefined && 'literal' in literal) {
    const ids: FilterExpression = { kind: 'ids', ids: [findIdOf(scope.type, literal.literal) ?? []].flat() }
    if (operator === '=') return ids
    if (operator === '<>') return { kind: 'not', item: ids }
  }
  const resolve = (operand: FesOperand): Operand =>
    'property' in operand ? { field: fieldOf(scope, operand.property) } : operand
  return { kind: 'compare', operator, left: resolve(left), right: resolve(right), matchCase }
}

function resolveSpatial(
  filter: Extract<FesFilter, { readonly kind: 'spatial' | 'distance' }>,
  scope: FilterScope,
): FilterExpression {
  const { property, target } = filter
  if (property !== undefined && property !== '' && findProperty(scope.type, property) !== 'geometry')
    throw invalidParameter('filter', `The property ${shown(property)} is not a geometry.`)
  const placed = placeGeometry(target, scope)
  if (filter.kind === 'spatial') return { kind: 'spatial', operator: filter.operator, ...placed }
  const { isWithin, distance, unit } = filter
  return { kind: 'distance', isWithin, distance, unit, ...placed }
}

/**
 * Returns a geometry with x first, and the EPSG code of its reference system.
 *
 * @throws {OwsFault} for names of an unknown form
 */
export function placeGeometry(
  { geometry, srsName }: GmlGeometry,
  { defaultSrs, northFirst }: Omit<FilterScope, 'type'>,
): FilterGeometry {
  const named = srsName === undefined ? defaultSrs : readSrsName(srsName)
  const { srs } = named
  return { srs, geometry: isSwapped(named, northFirst) ? swapAxes(geometry) : geometry }
}

/** Tells whether coordinates have y first. */
export function isSwapped({ srs, followsAuthority }: NamedSrs, northFirst: ReadonlySet<number>): boolean {
  return followsAuthority && northFirst.has(srs)
}

function swapAxes(geometry: Geometry): Geometry {
  const size = geometry.hasZ ? 3 : 2
  const swap = (sequence: readonly number[]) => {
    const swapped = [...sequence]
    for (let at = 0; at + 1 < swapped.length; at += size) {
      swapped[at] = sequence[at + 1] ?? 0
      swapped[at + 1] = sequence[at] ?? 0
    }
    return swapped
  }
  return { ...geometry, parts: geometry.parts.map((part) => part.map(swap)) }
}

function fieldOf({ type }: FilterScope, path: string): string {
  const target = findProperty(type, path)
  if (typeof target === 'object') return target.field.keyname
  throw invalidParameter('filter', `The property ${shown(path)} cannot be compared with a literal.`)
}
