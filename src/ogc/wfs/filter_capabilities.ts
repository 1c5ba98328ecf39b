import { element, textElement } from '../xml_text.ts'
import type { WfsProtocol } from './wfs_protocol.ts'

const spatialNames = [
  'BBOX',
  'Equals',
  'Disjoint',
  'Intersects',
  'Touches',
  'Crosses',
  'Within',
  'Contains',
  'Overlaps',
  'DWithin',
  'Beyond',
]

/** Writes the operators of filters that a service supports. */
export function filterCapabilities({ edition }: WfsProtocol): string {
  return { '1.0': capabilities10, '1.1': capabilities11, '2.0': capabilities20 }[edition]()
}

/** @see OGC 02-059 annex A */
function capabilities10(): string {
  const spatial = element(
    'ogc:Spatial_Operators',
    {},
    ...spatialNames.map((name) => element(`ogc:${name === 'Intersects' ? 'Intersect' : name}`, {})),
  )
  const comparison = element(
    'ogc:Comparison_Operators',
    {},
    ...['Simple_Comparisons', 'Like', 'Between', 'NullCheck'].map((name) => element(`ogc:${name}`, {})),
  )
  return element(
    'ogc:Filter_Capabilities',
    {},
    element('ogc:Spatial_Capabilities', {}, spatial),
    element('ogc:Scalar_Capabilities', {}, element('ogc:Logical_Operators', {}), comparison),
  )
}

const comparisons11 = [
  'LessThan',
  'GreaterThan',
  'LessThanEqualTo',
  'GreaterThanEqualTo',
  'EqualTo',
  'NotEqualTo',
  'Like',
  'Between',
  'NullCheck',
]

const operands11 = ['gml:Envelope', 'gml:Point', 'gml:LineString', 'gml:Polygon']

/** @see OGC 04-095 annex A */
function capabilities11(): string {
  const list = (name: string, items: readonly string[]) => element(name, {}, ...items)
  return element(
    'ogc:Filter_Capabilities',
    {},
    element(
      'ogc:Spatial_Capabilities',
      {},
      list(
        'ogc:GeometryOperands',
        operands11.map((name) => textElement('ogc:GeometryOperand', name)),
      ),
      list(
        'ogc:SpatialOperators',
        spatialNames.map((name) => element('ogc:SpatialOperator', { name })),
      ),
    ),
    element(
      'ogc:Scalar_Capabilities',
      {},
      element('ogc:LogicalOperators', {}),
      list(
        'ogc:ComparisonOperators',
        comparisons11.map((name) => textElement('ogc:ComparisonOperator', name)),
      ),
    ),
    element('ogc:Id_Capabilities', {}, element('ogc:EID', {}), element('ogc:FID', {})),
  )
}

const comparisons20 = [
  'PropertyIsEqualTo',
  'PropertyIsNotEqualTo',
  'PropertyIsLessThan',
  'PropertyIsGreaterThan',
  'PropertyIsLessThanOrEqualTo',
  'PropertyIsGreaterThanOrEqualTo',
  'PropertyIsLike',
  'PropertyIsNull',
  'PropertyIsNil',
  'PropertyIsBetween',
]

const conformance20: Readonly<Record<string, boolean>> = {
  ImplementsQuery: true,
  ImplementsAdHocQuery: true,
  ImplementsFunctions: false,
  ImplementsResourceId: true,
  ImplementsMinStandardFilter: true,
  ImplementsStandardFilter: true,
  ImplementsMinSpatialFilter: true,
  ImplementsSpatialFilter: true,
  ImplementsMinTemporalFilter: false,
  ImplementsTemporalFilter: false,
  ImplementsVersionNav: false,
  ImplementsSorting: true,
  ImplementsExtendedOperators: false,
  ImplementsMinimumXPath: true,
  ImplementsSchemaElementFunc: false,
}

const operands20 = [
  ...operands11,
  'gml:MultiPoint',
  'gml:MultiCurve',
  'gml:MultiSurface',
  'gml:Curve',
  'gml:Surface',
]

/** @see OGC 09-026r2 clause 7.13 */
function capabilities20(): string {
  const constraints = Object.entries(conformance20).map(([name, isSupported]) =>
    constraint('fes', name, isSupported),
  )
  return element(
    'fes:Filter_Capabilities',
    {},
    element('fes:Conformance', {}, ...constraints),
    element('fes:Id_Capabilities', {}, element('fes:ResourceIdentifier', { name: 'fes:ResourceId' })),
    element(
      'fes:Scalar_Capabilities',
      {},
      element('fes:LogicalOperators', {}),
      element(
        'fes:ComparisonOperators',
        {},
        ...comparisons20.map((name) => element('fes:ComparisonOperator', { name })),
      ),
    ),
    element(
      'fes:Spatial_Capabilities',
      {},
      element(
        'fes:GeometryOperands',
        {},
        ...operands20.map((name) => element('fes:GeometryOperand', { name })),
      ),
      element(
        'fes:SpatialOperators',
        {},
        ...spatialNames.map((name) => element('fes:SpatialOperator', { name })),
      ),
    ),
  )
}

/** Writes whether a service supports a part of the standard, or the value of a limit. */
export function constraint(prefix: string, name: string, value: boolean | number): string {
  const text = typeof value === 'boolean' ? String(value).toUpperCase() : value
  return element(
    `${prefix}:Constraint`,
    { name },
    element('ows:NoValues', {}),
    textElement('ows:DefaultValue', text),
  )
}
