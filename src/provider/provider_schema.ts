import { type Cls, descriptorOf } from '../contract/registry.ts'
import { isObject } from '../core/is_object.ts'
import { blockSchema, requirementsOf, sharedDefinitions } from '../manifest/schema/block_schema.ts'
import type { JsonSchema } from '../manifest/schema/field_schema.ts'
import { pipelineSchemas } from '../pipeline/pipeline_schema.ts'
import { functionToken, providerFunctions, requiredOutputs, resourceOutputs } from './provider_functions.ts'
import { listSecrets } from './resource_secrets.ts'
import { packageName, resourceTypes, runToken, tokenOf, typeNameOf } from './resource_type.ts'
import { layerOutputs, requiredLayerOutputs, runInputs, runMeaning, runOutputs } from './run/run_schema.ts'

type Spec = Readonly<Record<string, unknown>>

const anything: Spec = { $ref: 'pulumi.json#/Any' }

/** Settings of the provider, by name. */
export const configProperties: Readonly<Record<string, Spec>> = {
  server: {
    type: 'string',
    description: 'URL of the server. The environment variable LANDFORM_SERVER sets it, too.',
  },
  user: { type: 'string', description: 'Login name. The environment variable LANDFORM_USER sets it, too.' },
  password: {
    type: 'string',
    secret: true,
    description: 'Password of the user. The environment variable LANDFORM_PASSWORD sets it, too.',
  },
  token: {
    type: 'string',
    secret: true,
    description: 'API token, instead of a user. The environment variable LANDFORM_TOKEN sets it, too.',
  },
  manifest: {
    type: 'string',
    description:
      'Id that the resources are marked with on the server, as those of a manifest; pulumi.PROJECT.STACK if absent.',
  },
  allow_delete: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Keys of resources that may be deleted or lose data, although they have features or files. The environment variable LANDFORM_ALLOW_DELETE adds keys, separated by commas.',
  },
  allow_undeclared: {
    type: 'boolean',
    description:
      'Whether resources may name resources of the stack that the update does not declare, as with the option --target.',
  },
}

/** Fields of blocks that Pulumi expresses in other ways. */
const omitted = new Set(['cls', 'existing', 'id', 'was', 'children'])

/** Returns the input properties of a class as JSON Schema, by name. */
export function inputSchemas(cls: Cls): Record<string, JsonSchema> {
  const shared = sharedDefinitions()
  const properties = blockSchema(cls).properties as Readonly<Record<string, JsonSchema>>
  const own = Object.entries(properties).flatMap(([name, schema]) =>
    omitted.has(name) ? [] : [[name, schema.$ref === undefined ? schema : (shared[name] ?? schema)] as const],
  )
  const key = {
    type: 'string',
    description: 'Key, unique on the server; the name of the resource if absent.',
  }
  const all: Record<string, JsonSchema> = { key, ...Object.fromEntries(own) }
  return {
    ...all,
    parent: { ...all.parent, description: parentMeaning },
    ...dataOf(all.data),
    ...filesOf(all),
    ...featuresOf(all.features),
  }
}

const parentMeaning = 'Key of the parent resource; the root of the server if absent.'

/** Annotation of a path that may also be an asset of Pulumi: of a `file`, or of `data`, which may be an archive, too. */
export const assetWord = 'x-asset'

function dataOf(data: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  if (data === undefined) return {}
  const properties = data.properties as Readonly<Record<string, JsonSchema>>
  const description = 'Data file: a path relative to the program, or an asset or archive.'
  const source = { ...properties.source, [assetWord]: 'data', description }
  return { data: { ...data, properties: { ...properties, source } } }
}

function filesOf({
  file,
  files,
}: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const path = { type: 'string', minLength: 1, [assetWord]: 'file' }
  if (file !== undefined) {
    const whole = { type: 'object', required: ['path'], properties: { path } }
    return {
      file: { anyOf: [path, whole], description: 'File: a path relative to the program, or an asset.' },
    }
  }
  const entry = ((files?.items as JsonSchema | undefined)?.anyOf as readonly JsonSchema[] | undefined)?.[1]
  if (files === undefined || entry === undefined) return {}
  const own = entry.properties as Readonly<Record<string, JsonSchema>>
  const described = { ...path, description: 'Path or pattern, relative to the program, or an asset.' }
  const items = { anyOf: [path, { ...entry, properties: { ...own, path: described } }] }
  return { files: { ...files, items, description: filesMeaning } }
}

function featuresOf(features: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  if (features === undefined) return {}
  const properties = features.properties as Readonly<Record<string, JsonSchema>>
  const { attachments } = properties
  const list = attachments && valuesOf(attachments)
  const entry = ((list?.items as JsonSchema | undefined)?.anyOf as readonly JsonSchema[] | undefined)?.[1]
  if (attachments === undefined || list === undefined || entry === undefined) return {}
  const path = { type: 'string', minLength: 1, [assetWord]: 'file' }
  const own = entry.properties as Readonly<Record<string, JsonSchema>>
  const described = { ...path, description: 'Path or pattern, relative to the program, or an asset.' }
  const items = { anyOf: [path, { ...entry, properties: { ...own, path: described } }] }
  const lists = { ...attachments, additionalProperties: { ...list, items }, description: attachmentsMeaning }
  return { features: { ...features, properties: { ...properties, attachments: lists } } }
}

const attachmentsMeaning =
  'Attachments of all features, by the value of the key: assets, and paths or patterns (photos/north/*.jpg), relative to the program; other features have none.'

const filesMeaning =
  'All files: assets, and paths or patterns (plans/*.pdf, photos/**/*.jpg), relative to the program. Files that match a pattern keep their path below the folder before its first wildcard.'

/** Returns the schema of the package, made from the contract. */
export function providerSchema(version: string): Spec {
  const types: Record<string, Spec> = {}
  const resources = [...resourceTypes.values()].map(
    (cls) => [tokenOf(cls), resourceSpec(cls, types)] as const,
  )
  return {
    name: packageName,
    version,
    displayName: 'landform',
    description: 'Resources of a GIS server: layers, styles, web maps and services.',
    license: 'MIT',
    config: { variables: configProperties },
    provider: { inputProperties: configProperties, description: 'A server.' },
    types,
    resources: { ...Object.fromEntries(resources), [runToken]: runSpec(types) },
    functions: Object.fromEntries(
      Object.entries(providerFunctions).map(([name, { description, outputs }]) => [
        functionToken(name),
        {
          description,
          inputs: { type: 'object', properties: { name: nameSpec }, required: ['name'] },
          outputs: {
            type: 'object',
            properties: { ...resourceOutputs, ...outputs },
            required: [...requiredOutputs, ...Object.keys(outputs)],
          },
        },
      ]),
    ),
  }
}

const nameSpec: Spec = {
  type: 'string',
  description: 'Key, id, or path of display names such as City/Roads.',
}

/** A file of this machine: a path, or an asset or archive of Pulumi. */
const fileSpec: Spec = { oneOf: [{ type: 'string' }, { $ref: 'pulumi.json#/Asset' }] }

function resourceSpec(cls: Cls, types: Record<string, Spec>): Spec {
  const { meaning } = descriptorOf(cls)
  const secrets = new Set(listSecrets(cls))
  const build = { types, secrets }
  const inputs = Object.entries(inputSchemas(cls)).map(
    ([name, schema]) => [name, specOf(schema, { name: [cls, name], pointer: `/${name}`, build })] as const,
  )
  const required = (requirementsOf(cls).required as readonly string[]).filter(
    (name) => name !== 'display_name',
  )
  const id = { type: 'integer', description: 'Id on the server.' }
  return {
    description: meaning,
    inputProperties: Object.fromEntries(inputs),
    requiredInputs: required,
    listInputs: { type: 'object', properties: {} },
    properties: { ...Object.fromEntries(inputs), resource_id: id },
    required: ['key', 'resource_id', ...required],
  }
}

function runSpec(types: Record<string, Spec>): Spec {
  const build = { types, secrets: new Set<string>() }
  const definitions = Object.entries(pipelineSchemas).map(([name, schema]) =>
    objectType(schema as unknown as JsonSchema, { name: [name], pointer: '/pipeline', build }),
  )
  const inputs = {
    ...runInputs,
    pipeline: { ...runInputs.pipeline, oneOf: [{ type: 'string' }, ...definitions] },
  }
  const layer = `${packageName}:index:RunLayer`
  types[layer] = { type: 'object', properties: layerOutputs, required: requiredLayerOutputs }
  const layers = { type: 'array', items: { $ref: `#/types/${layer}` }, description: 'Result for each layer.' }
  const settable = Object.fromEntries(Object.entries(inputs).filter(([name]) => name !== 'digest'))
  return {
    description: runMeaning,
    inputProperties: settable,
    requiredInputs: ['pipeline'],
    properties: { ...inputs, ...runOutputs, layers },
    required: ['pipeline', 'digest', ...Object.keys(runOutputs), 'layers'],
  }
}

interface Place {
  /** Parts of the name of the type of an object. */
  readonly name: readonly string[]
  readonly pointer: string
  readonly build: { readonly types: Record<string, Spec>; readonly secrets: ReadonlySet<string> }
}

function specOf(schema: JsonSchema, place: Place): Spec {
  const { description } = schema
  const secret = place.build.secrets.has(place.pointer) ? { secret: true } : {}
  return { ...typeOf(schema, place), ...(description === undefined ? {} : { description }), ...secret }
}

function typeOf(schema: JsonSchema, place: Place): Spec {
  const { type, items, properties } = schema
  const values = valuesOf(schema)
  if (schema[assetWord] !== undefined) return fileSpec
  if (type === 'string' || type === 'boolean' || type === 'integer' || type === 'number') return { type }
  if (type === 'array' && isObject(items))
    return { type, items: typeOf(items, { ...place, name: [...place.name, 'item'] }) }
  if (type === 'object' && isObject(properties)) return objectType(schema, place)
  if (type === 'object' && values !== undefined) return { type, additionalProperties: typeOf(values, place) }
  return anything
}

/** Returns the schema of the values of an object with any names; undefined if its names are fixed. */
export function valuesOf({ additionalProperties, patternProperties }: JsonSchema): JsonSchema | undefined {
  if (isObject(additionalProperties)) return additionalProperties
  return isObject(patternProperties) ? (Object.values(patternProperties)[0] as JsonSchema) : undefined
}

function objectType({ description, properties, required }: JsonSchema, place: Place): Spec {
  const token = `${packageName}:index:${place.name.map(typeNameOf).join('')}`
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, schema]) =>
      [
        name,
        specOf(schema, { ...place, name: [...place.name, name], pointer: `${place.pointer}/${name}` }),
      ] as const,
  )
  place.build.types[token] = {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(fields),
    ...(required === undefined ? {} : { required }),
  }
  return { $ref: `#/types/${token}` }
}
