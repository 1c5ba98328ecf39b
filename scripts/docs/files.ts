import type { Schema } from '../../src/contract/schema.ts'
import { blockSchema, sharedDefinitions } from '../../src/manifest/schema/block_schema.ts'
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
    '## Pipeline from a file to a layer',
    printFields(ImportSchema as Schema),
    '## Pipeline from layers to files',
    printFields(ExportSchema as Schema),
  )
}
