import type { Datatype } from '../../contract/geometry.ts'
import { element, xmlDeclaration } from '../xml_text.ts'
import { type FeatureType, geometryPropertyType, typePrefix } from './feature_type.ts'
import type { WfsProtocol } from './wfs_protocol.ts'
import { qualified, type WfsService } from './wfs_service.ts'

/** Types of values. @see XML Schema part 2 */
const valueTypes: Readonly<Record<Datatype, string>> = {
  INTEGER: 'xsd:int',
  BIGINT: 'xsd:long',
  REAL: 'xsd:double',
  STRING: 'xsd:string',
  DATE: 'xsd:date',
  TIME: 'xsd:time',
  DATETIME: 'xsd:dateTime',
}

/**
 * Writes the schema of feature types. All properties are optional: a null value has no element.
 *
 * @see OGC 02-058 clause 8, OGC 04-094 clause 8, OGC 09-025r2 clause 9
 */
export function schemaDocument(
  { namespace }: WfsService,
  { gmlVersion, namespaces, schemas }: WfsProtocol,
  types: readonly FeatureType[],
): string {
  const isLatest = gmlVersion === '3.2.1'
  const root = {
    'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    'xmlns:gml': namespaces.gml,
    [`xmlns:${typePrefix}`]: namespace,
    targetNamespace: namespace,
    elementFormDefault: 'qualified',
    version: '1.0',
  }
  const base = { type: 'gml:AbstractFeatureType', head: isLatest ? 'gml:AbstractFeature' : 'gml:_Feature' }
  return `${xmlDeclaration}${element(
    'xsd:schema',
    root,
    element('xsd:import', { namespace: namespaces.gml, schemaLocation: schemas.gml }),
    ...types.flatMap((type) => [
      complexType(type, base.type, geometryPropertyType(type.layer.geometryType, gmlVersion)),
      element('xsd:element', {
        name: type.name,
        type: qualified(`${type.name}Type`),
        substitutionGroup: base.head,
      }),
    ]),
  )}`
}

function complexType(
  { name, geometryName, properties }: FeatureType,
  base: string,
  geometry: string,
): string {
  const optional = { minOccurs: 0, nillable: 'true' }
  const elements = [
    element('xsd:element', { name: geometryName, type: geometry, ...optional }),
    ...properties.map((property) =>
      element('xsd:element', {
        name: property.name,
        type: valueTypes[property.field.datatype],
        ...optional,
      }),
    ),
  ]
  const sequence = element('xsd:sequence', {}, ...elements)
  const extension = element('xsd:extension', { base }, sequence)
  return element('xsd:complexType', { name: `${name}Type` }, element('xsd:complexContent', {}, extension))
}
