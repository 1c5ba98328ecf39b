import { isProblem } from '../../core/problem.ts'
import type { Database } from '../../database/database.ts'
import type { GmlFormat } from '../../ogc/gml/write_gml.ts'
import { invalidParameter } from '../../ogc/ows_fault.ts'
import type { NamedSrs } from '../../ogc/reference_system.ts'
import {
  defaultSrs,
  type FeatureProperty,
  type FeatureType,
  findFeatureType,
  findProperty,
  readSrsName,
} from '../../ogc/wfs/feature_type.ts'
import { isSwapped, resolveFilter } from '../../ogc/wfs/resolve_filter.ts'
import {
  type FeatureQuery,
  type GetFeature,
  getFeatureById,
  type SortKey,
} from '../../ogc/wfs/wfs_request.ts'
import { defaultCount, type WfsService } from '../../ogc/wfs/wfs_service.ts'
import { escapeXml } from '../../ogc/xml_text.ts'
import type { FeatureFilter } from '../../store/feature/feature_filter.ts'
import { requireSrs } from '../../store/feature/feature_sql.ts'
import { checkFilterCost } from '../../store/feature/filter_cost.ts'
import type { FilterExpression } from '../../store/feature/filter_expression.ts'
import type { ServerContext } from '../context.ts'
import { findDatabase } from '../geodb/geodb_session.ts'
import { findNorthFirst } from './north_first.ts'

/** A query whose names are resolved. */
export interface PlannedQuery {
  readonly type: FeatureType
  readonly database: Database
  readonly srs: NamedSrs
  readonly format: GmlFormat
  readonly hasGeometry: boolean
  readonly properties: readonly FeatureProperty[]
  readonly filter: FeatureFilter
  /** Keynames, with `-` for descending order. */
  readonly orderBy: readonly string[]
  /** Maximum number of features of the query in a response. */
  readonly limit: number
}

/**
 * Resolves the names of a query.
 *
 * @throws {OwsFault} for unknown types, properties and reference systems
 */
export async function planQuery(
  context: ServerContext,
  service: WfsService,
  { query, request }: { readonly query: FeatureQuery; readonly request: GetFeature },
): Promise<PlannedQuery> {
  const { protocol, valueReference } = request
  const type = findFeatureType(service.types, query.typeName)
  const { layer, maxFeatures } = type
  const northFirst = await findNorthFirst(context.database)
  const srs = query.srsName === undefined ? defaultSrs(type, protocol) : readSrsName(query.srsName)
  if (srs.srs !== layer.srs) await checkSrs(context.database, srs)
  const format = {
    version: protocol.gmlVersion,
    srsName: escapeXml(srs.name),
    isSwapped: isSwapped(srs, northFirst),
    isTransformed: srs.srs !== layer.srs,
  }
  const scope = { type, defaultSrs: defaultSrs(type, protocol), northFirst }
  const selected = selectProperties(type, valueReference === undefined ? query.properties : [valueReference])
  const wanted = query.filter && resolveFilter(query.filter, scope)
  const present = valueReference === undefined ? undefined : notNull(selected)
  const conditions = [wanted, present].filter((one) => one !== undefined)
  const database = await findDatabase(context, layer)
  await checkFilterCost(wanted, () => context.layerCaches.count(database, layer))
  return {
    type,
    database,
    srs,
    format,
    ...selected,
    filter: conditions.length === 0 ? {} : { expression: { kind: 'and', items: conditions } },
    orderBy: query.sortBy.map((key) => orderOf(type, key)),
    limit: Math.min(request.count ?? defaultCount, maxFeatures ?? Number.MAX_SAFE_INTEGER),
  }
}

/**
 * Checks that the database knows a reference system.
 *
 * @throws {OwsFault}
 */
export async function checkSrs(database: Database, { srs, name }: NamedSrs): Promise<void> {
  try {
    await requireSrs(database, srs)
  } catch (error) {
    if (!isProblem(error, 'request/invalid')) throw error
    throw invalidParameter('srsName', `The reference system ${name.slice(0, 80)} is not known.`)
  }
}

type Selected = Pick<PlannedQuery, 'hasGeometry' | 'properties'>

function selectProperties(type: FeatureType, names: readonly string[] | undefined): Selected {
  if (names === undefined) return { hasGeometry: true, properties: type.properties }
  const targets = names.map((name) => findProperty(type, name))
  // In the order of the schema, as documents must be.
  return {
    hasGeometry: targets.includes('geometry'),
    properties: type.properties.filter((property) => targets.includes(property)),
  }
}

/** Leaves out features without a value. */
function notNull({ hasGeometry, properties: [property] }: Selected): FilterExpression | undefined {
  if (hasGeometry) return { kind: 'not', item: { kind: 'no-geometry' } }
  if (property === undefined)
    throw invalidParameter(
      'valueReference',
      `valueReference must name a property; for ids use ${getFeatureById}.`,
    )
  return { kind: 'not', item: { kind: 'null', field: property.field.keyname } }
}

function orderOf(type: FeatureType, { property, isDescending }: SortKey): string {
  const target = findProperty(type, property)
  if (target === 'geometry') throw invalidParameter('sortBy', 'Features cannot be sorted by geometry.')
  return `${isDescending ? '-' : ''}${target === 'id' ? 'id' : target.field.keyname}`
}
