import { type GeoserviceType, geoserviceTypes } from '../../contract/catalog/catalog.ts'
import { catalogKeyPattern } from '../../contract/catalog/catalog_edit.ts'
import { geoserviceSchemas, IconMembersSchema } from '../../contract/catalog/catalog_member.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { iconForms, type JsonSchema, requiredOf, toManifestSchema, whenMember } from './field_schema.ts'

const was: JsonSchema = {
  type: 'string',
  pattern: catalogKeyPattern,
  description: 'Previous key of a renamed record.',
}

/** Schema of a block of `icons:`. */
export function iconSchema(): JsonSchema {
  const { properties } = toManifestSchema(IconMembersSchema as Schema)
  return {
    title: 'Icon',
    type: 'object',
    additionalProperties: false,
    required: ['name', 'image'],
    properties: {
      was,
      ...(properties as object),
      image: {
        type: 'string',
        minLength: 1,
        description:
          'Image file, relative to the folder of the manifest: PNG, JPEG, GIF, WebP or SVG of at most 2 MiB.',
      },
    },
  }
}

/** Schema of a block of `geoservices:` of a type. */
export function geoserviceSchema(type: GeoserviceType): JsonSchema {
  const schema = toManifestSchema(geoserviceSchemas[type] as Schema)
  const { type: _, icon: __, ...members } = schema.properties as Readonly<Record<string, JsonSchema>>
  return {
    title: `Geoservice of type ${type}`,
    type: 'object',
    additionalProperties: false,
    required: requiredOf(schema),
    properties: {
      type: { const: type, description: 'Type of the service.' },
      was,
      ...members,
      icon: iconReference,
      boundary: boundarySchema(members.boundary),
    },
  }
}

const iconReference: JsonSchema = {
  description: 'Icon.',
  default: null,
  anyOf: [...iconForms(), { type: 'null' }],
}

/** Adds the forms of a boundary that only manifests have. */
function boundarySchema({ anyOf, ...rest }: JsonSchema = {}): JsonSchema {
  return {
    ...rest,
    description:
      'Area that the service covers: POLYGON or MULTIPOLYGON as WKT in EPSG:4326 or as EWKT, a GeoJSON geometry, or a box [west, south, east, north]. Its bounding box is the extent.',
    anyOf: [
      ...(anyOf as readonly JsonSchema[]),
      { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
      {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'coordinates'],
        properties: { type: { enum: ['Polygon', 'MultiPolygon'] }, coordinates: { type: 'array' } },
      },
    ],
  }
}

/** Schemas of the sections of the catalog, by name. */
export function catalogSections(): { readonly icons: JsonSchema; readonly geoservices: JsonSchema } {
  const ofType = geoserviceTypes.map((type) => whenMember('type', type, geoserviceSchema(type)))
  const key = { pattern: catalogKeyPattern }
  return {
    icons: {
      type: 'object',
      propertyNames: key,
      additionalProperties: iconSchema(),
      description: 'Icons of the catalog by key. Keys are keynames on the server.',
    },
    geoservices: {
      type: 'object',
      propertyNames: key,
      additionalProperties: {
        type: 'object',
        required: ['type'],
        // Without `type: string`: a type selects a schema, and is not an expression.
        properties: { type: { enum: geoserviceTypes, description: 'Type of the service.' } },
        allOf: ofType,
      },
      description: 'Geoservices of the catalog by key. Keys are keynames on the server.',
    },
  }
}
