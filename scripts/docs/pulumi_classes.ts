import { type Cls, clsNames, descriptorOf } from '../../src/contract/registry.ts'
import { isObject } from '../../src/core/is_object.ts'
import { requirementsOf } from '../../src/manifest/schema/block_schema.ts'
import type { JsonSchema } from '../../src/manifest/schema/field_schema.ts'
import { blockDefinitions } from '../../src/manifest/schema/manifest_schema.ts'
import { pipelineSchemas } from '../../src/pipeline/pipeline_schema.ts'
import { assetWord, inputSchemas, valuesOf } from '../../src/provider/provider_schema.ts'
import { typeNameOf } from '../../src/provider/resource_type.ts'
import { layerOutputs, requiredLayerOutputs } from '../../src/provider/run/run_schema.ts'

/** Folder of the classes of the Pulumi SDK, from the root of the repository. */
export const pulumiClassesFolder = 'src/pulumi/classes'

const notice = '// Printed from the contract by `npm run docs`. Do not edit.'

/** Prints the classes of the Pulumi SDK, by path. */
export function printPulumiClasses(): Map<string, string> {
  const files = new Map([
    [`${pulumiClassesFolder}/block_types.ts`, printDefinitions()],
    [`${pulumiClassesFolder}/run_types.ts`, printRunTypes()],
  ])
  for (const cls of clsNames) files.set(`${pulumiClassesFolder}/${cls}.ts`, printClass(cls))
  return files
}

/** Definitions that several classes use. */
const shared = ['rule', 'webmap_item'] as const

function printDefinitions(): string {
  const definitions = blockDefinitions()
  const types = shared.map((name) => {
    const schema = definitions[name] as JsonSchema
    return `${docOf(schema, '', `A ${name.replace('_', ' ')}.`)}export type ${typeNameOf(name)} = ${typeOf(schema, '')}`
  })
  return `${notice}\nimport type { Source, SourceFile } from '../source.ts'\n\n/** A file to load. */\nexport type DataSource = Source\n\n/** A file to store. */\nexport type FileSource = SourceFile\n\n${types.join('\n\n')}\n`
}

/** Prints the types of the inputs and outputs of runs of pipelines. */
function printRunTypes(): string {
  const pipelines = Object.entries(pipelineSchemas).map(
    ([name, schema]) =>
      `/** A pipeline, as in its file. */\nexport type ${name} = ${typeOf(schema as unknown as JsonSchema, '')}`,
  )
  const layer = typeOf({ type: 'object', properties: layerOutputs, required: requiredLayerOutputs }, '')
  const results = `/** Result of a run for a layer. */\nexport type RunLayer = ${layer}`
  return `${notice}\n\n${[...pipelines, results].join('\n\n')}\n`
}

function printClass(cls: Cls): string {
  const name = typeNameOf(cls)
  const schemas = Object.entries(inputSchemas(cls))
  const fields = schemas.map(([field, schema]) => fieldOf({ cls, field, schema }))
  const body = `${fields.join('\n')}\n`
  const used = ['DataSource', 'FileSource', ...shared.map(typeNameOf)].filter((one) =>
    new RegExp(`\\b${one}\\b`).test(body),
  )
  const imports = used.length === 0 ? '' : `import type { ${used.join(', ')} } from './block_types.ts'\n`
  const outputs = schemas.flatMap(([field, schema]) => {
    if (field === 'key') return []
    const type = field === 'display_name' ? 'string' : `${name}Properties['${field}']`
    return [`${docOf(schema, '  ')}  declare readonly ${field}: Output<${type}>`]
  })
  return `${notice}
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
${imports}
/** Properties of \`${name}\`. */
export interface ${name}Properties {
${body}}

${docOf({ description: descriptorOf(cls).meaning }, '')}export class ${name} extends LandformResource {
${outputs.join('\n')}

  constructor(name: string, args: Inputs<${name}Properties>, options?: CustomResourceOptions) {
    super('${cls}', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): ${name} {
    return new ${name}(name, {} as Inputs<${name}Properties>, lookUp(id, options))
  }
}
`
}

interface Field {
  readonly cls: Cls
  readonly field: string
  readonly schema: JsonSchema
}

function fieldOf({ cls, field, schema }: Field): string {
  const { required, properties } = requirementsOf(cls) as {
    readonly required: readonly string[]
    readonly properties: Readonly<Record<string, JsonSchema>>
  }
  const isRequired = required.includes(field) && field !== 'display_name'
  const needs = (properties[field]?.required ?? schema.required ?? []) as readonly string[]
  const type =
    field === 'data' ? `DataSource | ${typeOf(schema, '  ')}` : typeOf({ ...schema, required: needs }, '  ')
  return `${docOf(schema, '  ')}  readonly ${field}${isRequired ? '' : '?'}: ${type}`
}

function docOf({ description }: JsonSchema, indent: string, otherwise = ''): string {
  const text = typeof description === 'string' ? description : otherwise
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n`
}

function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, type, items, properties, enum: values, const: only } = schema
  if (typeof $ref === 'string') return referenceType($ref)
  if (schema[assetWord] !== undefined) return schema[assetWord] === 'file' ? 'FileSource' : 'DataSource'
  const union = schema.anyOf ?? schema.oneOf ?? casesOf(schema)
  if (Array.isArray(union)) return unite(union.map((one) => typeOf(one as JsonSchema, indent)))
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values)) return unite(values.map((value) => JSON.stringify(value)))
  if (Array.isArray(type)) return unite(type.map((one) => typeOf({ ...schema, type: one }, indent)))
  if (type === 'array') return `readonly (${typeOf((items ?? {}) as JsonSchema, indent)})[]`
  if (type === 'object' && isObject(properties)) return objectType(schema, indent)
  if (type === 'object') return `{ readonly [name: string]: ${typeOf(valuesOf(schema) ?? {}, indent)} }`
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

/** Lists the variants of an object whose other fields depend on one field; undefined if they do not. */
function casesOf({ allOf, properties, required = [] }: JsonSchema): JsonSchema[] | undefined {
  if (!Array.isArray(allOf)) return undefined
  return (allOf as readonly { readonly if: JsonSchema; readonly then: JsonSchema }[]).map((one) => {
    const all = {
      ...(properties as object),
      ...(one.if.properties as object),
      ...(one.then.properties as object),
    }
    const needs = [...(required as string[]), ...((one.then.required ?? []) as string[])]
    return { type: 'object', properties: all, required: needs }
  })
}

const unite = (types: readonly string[]) => [...new Set(types)].join(' | ')

function referenceType(ref: string): string {
  const name = ref.replace('#/definitions/', '')
  if (!shared.some((one) => one === name)) throw new Error(`${ref} has no type`)
  return typeNameOf(name)
}

function objectType({ properties, required }: JsonSchema, indent: string): string {
  const needs = new Set(Array.isArray(required) ? (required as string[]) : [])
  const deeper = `${indent}  `
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const type = typeOf(schema, deeper)
    return `${docOf(schema, deeper)}${deeper}readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}${needs.has(name) ? '' : '?'}: ${type}`
  })
  return `{\n${fields.join('\n')}\n${indent}}`
}
