import {
  type GeoserviceType,
  geoserviceTypeMembers,
  geoserviceTypes,
} from '../../src/contract/catalog/catalog.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { blockSchema, sharedDefinitions } from '../../src/manifest/schema/block_schema.ts'
import { geoserviceSchema, iconSchema } from '../../src/manifest/schema/catalog_schema.ts'
import { fileSchema } from '../../src/manifest/schema/manifest_schema.ts'
import { ExportSchema, ImportSchema } from '../../src/pipeline/pipeline_schema.ts'
import { printFields } from './fields.ts'
import { joinParts } from './markdown.ts'

/** Prints the page of the fields of manifests and pipelines. */
export function printFileFields(): string {
  const { rule, ...block } = sharedDefinitions()
  return joinParts(
    '# Fields of manifests and pipelines',
    '`landform schema manifest` and `landform schema pipeline` print the same as JSON Schema, for completion in editors. Every value may be an expression: `${env.NAME}`, `${env.NAME:-default}` or `${file:PATH}`.',
    '## Manifest',
    printFields(fileSchema() as Schema),
    '### Resource',
    'Fields of every resource. `cls` and `children` come with them, and the members of the class as in [classes.md](classes.md).',
    printFields({ properties: block } as Schema),
    '### Rule of permissions',
    printFields(rule as Schema),
    '### data',
    'Data of vector layers; raster layers take `source` and `mode`.',
    printFields((blockSchema('vector_layer') as Schema).properties?.data ?? ({} as Schema)),
    '### Icon of the catalog',
    printFields(iconSchema() as Schema),
    '### Geoservice of the catalog',
    'Fields of every geoservice; omitted fields have their default.',
    printFields(sharedFields()),
    ...geoserviceTypes.flatMap(printTypeFields),
    '## Pipeline from a file to a layer',
    printFields(ImportSchema as Schema),
    '## Pipeline from layers to files',
    printFields(ExportSchema as Schema),
  )
}

/** Returns the fields of geoservices of every type. */
function sharedFields(): Schema {
  const { properties, required } = geoserviceSchema('geojson') as {
    readonly properties: object
    readonly required: unknown
  }
  const type = { enum: geoserviceTypes, description: 'Type of the service.' }
  return { properties: { ...properties, type }, required } as unknown as Schema
}

/** Prints the additional fields of a type of geoservices. */
function printTypeFields(type: GeoserviceType): string[] {
  const names = Object.keys(geoserviceTypeMembers[type])
  if (names.length === 0) return []
  const { properties = {}, required = [] } = geoserviceSchema(type) as Schema & {
    readonly required?: readonly string[]
  }
  const own = Object.entries(properties).filter(([name]) => names.includes(name))
  return [
    `Fields of type \`${type}\`:`,
    printFields({ properties: Object.fromEntries(own), required } as unknown as Schema),
  ]
}
