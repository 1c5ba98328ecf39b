import { type Cls, descriptorOf } from '../contract/registry.ts'
import { findReferences } from '../contract/schema/references.ts'
import { isObject } from '../core/is_object.ts'
import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { parseFully } from '../document/parse_yaml.ts'
import { createDocument, type Node } from '../document/yaml_node.ts'
import { assembleManifest } from '../manifest/assemble.ts'
import { expandFiles } from '../manifest/files/expand_files.ts'
import type { Manifest, WantedResource } from '../manifest/manifest.ts'
import type { Block } from '../manifest/manifest_block.ts'
import type { ManifestSource } from '../manifest/resolve_source.ts'
import { wantedResource } from '../manifest/wanted_resource.ts'
import { inProgram } from './data_source.ts'
import { formatPropertyPath } from './property_path.ts'
import { signatureKey, unknownValue, type Values } from './property_values.ts'
import { filesBlock } from './resource_files.ts'

/** Key of the root of the server in the manifests of the provider. */
export const rootKey = '(root of the server)'

/** Inputs of a resource, and what its manifest needs besides. */
export interface ResourceInputs {
  readonly cls: Cls
  /** Checked inputs, with a key. */
  readonly inputs: Values
  /** Pointers of inputs that are not known yet; faults there are not reported. */
  readonly unknowns?: readonly Pointer[]
  /** Id of the manifest that manages the resource. */
  readonly manifestId: string
  /** Absolute path that data files are relative to. */
  readonly folder: string
  /** Id on the server, of a resource that exists. */
  readonly id?: number
  /** Absolute path of the data, if they are an asset that was opened. */
  readonly sourcePath?: string
  /** Files as in a manifest, if they were opened. */
  readonly files?: Values
}

/** A fault of an input. */
export interface InputFault {
  /** Property path. */
  readonly property: string
  readonly reason: string
}

/** The manifest of one resource, or the faults of its inputs. */
export interface ResourceManifest {
  /** Absent if there are faults. */
  readonly manifest?: Manifest
  readonly wanted?: WantedResource
  readonly faults: readonly InputFault[]
  /** What is valid, but probably wrong. */
  readonly warnings: readonly InputFault[]
  /** The block, if it names files. */
  readonly fileBlocks: readonly Block[]
}

/** The block of a resource in its manifest, and those of its parent and of the targets of its references. */
interface ResourceBlocks {
  readonly key: string
  readonly block: Values
  /** By key. */
  readonly stubs: ReadonlyMap<string, Values>
}

function blocksOf(resource: ResourceInputs): ResourceBlocks {
  const { cls, inputs, id, sourcePath } = resource
  const { key: given, parent: above, ...fields } = inputs
  const key = typeof given === 'string' && given !== '' ? given : unknownValue
  const parent = above === undefined ? rootKey : above
  const files =
    resource.files ?? filesBlock(cls, inputs, (source) => (isAsset(source) ? closedAsset : source))
  const block = {
    cls,
    parent,
    ...(id === undefined ? {} : { id }),
    ...withPath(fields, sourcePath),
    ...files,
  }
  const named = listReferred(cls, inputs).map(({ name }) => name)
  const others = [...(typeof parent === 'string' ? [parent] : []), ...named]
  const stubs = new Map(others.filter((other) => other !== key).map((other) => [other, stubOf(other)]))
  return { key, block, stubs }
}

/**
 * Makes the manifest of inputs that were checked when they were written, without checking them again, which takes most of the
 * time of a refresh.
 */
export function trustManifest(resource: ResourceInputs): Manifest {
  const { manifestId: id, folder, cls } = resource
  const { key, block, stubs } = blocksOf(resource)
  // Nobody is told of positions in what was checked before.
  const start = { file: key, line: 1, column: 1, endLine: 1, endColumn: 1 }
  const place = { folder, spanOf: () => start }
  const resources = new Map<string, WantedResource>()
  for (const [name, value] of stubs)
    resources.set(name, wantedResource({ key: name, value, existing: true }, place))
  const parent = String(block.parent)
  resources.set(key, wantedResource({ key, value: block, cls, existing: false, parent }, place))
  return { id, resources }
}

/** Makes the manifest of one resource, in which its parent and the targets of its references are existing resources. */
export function makeManifest(resource: ResourceInputs): ResourceManifest {
  const { inputs, manifestId, folder } = resource
  const { key, block, stubs } = blocksOf(resource)
  const value = { manifest: manifestId, resources: { ...Object.fromEntries(stubs), [key]: block } }
  const { manifest, issues, fileBlocks } = assembleManifest([sourceOf(value, { file: key, folder })], true)
  const base = joinPointer('/resources', key)
  const all = [...reservedFaults(inputs), ...issues]
  const places = (severity: Issue['severity']) =>
    all
      .filter((issue) => issue.severity === severity && !isUncertain(issue, base, resource.unknowns ?? []))
      .map((issue) => faultOf(issue, base))
  const [faults, warnings] = [places('error'), places('warning')]
  if (manifest === undefined) return { faults, warnings, fileBlocks }
  const wanted = manifest.resources.get(key)
  return {
    faults,
    warnings,
    fileBlocks,
    ...(faults.length > 0 || wanted === undefined ? {} : { manifest, wanted }),
  }
}

/** Finds the files, and descriptions and attachments of features, of the block of a resource. */
export async function findFiles({ fileBlocks }: Pick<ResourceManifest, 'fileBlocks'>) {
  const { files, features, issues } = await expandFiles(fileBlocks)
  const [found = []] = files.values()
  const [extended] = features.values()
  return {
    ...{ files: found, features: extended },
    faults: issues.map((issue) => {
      const { property, reason } = faultOf(issue, fileBlocks[0]?.pointer ?? '')
      return { property, reason: inProgram(reason) }
    }),
  }
}

/** Makes the source of a manifest from its value. Its text is parsed only for the positions of faults. */
function sourceOf(
  value: unknown,
  { file, folder }: { readonly file: string; readonly folder: string },
): ManifestSource {
  const text = JSON.stringify(value)
  const plain: unknown = JSON.parse(text)
  const document = createDocument({
    file,
    text,
    readRoot: () => parseFully(file, text).documents[0]?.root as Node,
    readValue: () => plain,
  })
  const hasEscapes = /\\[0xuU]/.test(text)
  // Expressions belong to manifests: here, the program has replaced its own.
  return {
    ...{ document, folder, value: plain, hasEscapes },
    ...{ expressions: new Map(), unresolved: new Set(), included: new Map(), parameters: new Map() },
    surroundings: { env: {}, files: new Map(), showPath: (path) => path },
  }
}

const isAsset = (source: unknown) => isObject(source) && Object.hasOwn(source, signatureKey)

/** Path of an asset that is not opened, in manifests whose data are not loaded. */
const closedAsset = 'asset'

/** Replaces an asset with the path of its file, and removes what manifests do not have. */
function withPath(fields: Values, sourcePath: string | undefined): Values {
  const { data } = fields
  if (!isObject(data)) return fields
  const { digest: _, ...rest } = data
  const source = sourcePath ?? (isAsset(rest.source) ? closedAsset : rest.source)
  return { ...fields, data: source === undefined ? rest : { ...rest, source } }
}

function stubOf(key: string): Values {
  const id = /^#(\d{1,10})$/.exec(key)?.[1]
  if (key === rootKey) return { existing: true, id: 0 }
  return { existing: true, ...(id === undefined ? {} : { id: Number(id) }) }
}

/** A resource that inputs name. */
export interface NamedResource {
  readonly name: string
  /** Path of the property that names it. */
  readonly property: string
}

/** Lists the resources that inputs refer to by key, besides the parent. */
export function listReferred(cls: Cls, inputs: Values): NamedResource[] {
  return Object.entries(descriptorOf(cls).members).flatMap(([member, schema]) => {
    const value = inputs[member]
    if (!isObject(value)) return []
    return findReferences(schema, value).flatMap(({ target, value: name, pointer }) =>
      target !== 'principal' && typeof name === 'string' && name !== unknownValue
        ? [{ name, property: formatPropertyPath(joinPointer('', member) + pointer) }]
        : [],
    )
  })
}

function reservedFaults(inputs: Values): Issue[] {
  return ['existing', 'id', 'was', 'children', 'cls']
    .filter((name) => Object.hasOwn(inputs, name))
    .map((name) => ({
      code: 'manifest/unknown-field',
      severity: 'error' as const,
      pointer: joinPointer('', name),
      message: `unknown field "${name}"`,
      hint: 'Use the options of Pulumi resources: import, aliases, parent.',
    }))
}

/** Tells whether a fault may be one of a value that is not known yet. */
export function isUncertain(
  { pointer = '', code }: Pick<Issue, 'pointer' | 'code'>,
  base: Pointer,
  unknowns: readonly Pointer[],
): boolean {
  if (!pointer.startsWith(base) || code === 'manifest/unknown-field') return false
  const at = pointer.slice(base.length)
  return unknowns.some(
    (unknown) =>
      at === unknown || at.startsWith(`${unknown}/`) || (at !== '' && unknown.startsWith(`${at}/`)),
  )
}

function faultOf({ pointer = '', code, message, hint }: Issue, base: Pointer): InputFault {
  const at = pointer.startsWith(base) ? pointer.slice(base.length) : pointer
  // Messages of manifests begin with the place in the block, which is the property here.
  const text = message.replace(/^\S+: /, '')
  const [, missing = ''] = code === 'manifest/missing-field' ? (/"([^"]+)"/.exec(text) ?? []) : []
  const path = formatPropertyPath(missing === '' ? at : joinPointer(at, missing))
  const property = code === 'manifest/bad-key' ? 'key' : path
  return { property, reason: hint === undefined ? text : `${text}; ${hint}` }
}
