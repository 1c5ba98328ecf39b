import { findReferences } from '../contract/references.ts'
import { type Cls, descriptorOf } from '../contract/registry.ts'
import { isObject } from '../core/is_object.ts'
import type { Issue } from '../core/issue.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { assembleManifest } from '../manifest/assemble.ts'
import type { Manifest, WantedResource } from '../manifest/manifest.ts'
import { parseManifestText } from '../manifest/manifest_input.ts'
import { formatPropertyPath } from './property_path.ts'
import { signatureKey, signatures, unknownValue, type Values } from './property_values.ts'

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
}

/** Makes the manifest of one resource, in which its parent and the targets of its references are existing resources. */
export function makeManifest(resource: ResourceInputs): ResourceManifest {
  const { cls, inputs, manifestId, folder, id } = resource
  const { key: given, parent: above, ...fields } = inputs
  const key = typeof given === 'string' && given !== '' ? given : unknownValue
  const parent = above === undefined ? rootKey : above
  const block = { cls, parent, ...(id === undefined ? {} : { id }), ...withPaths(fields) }
  const others = [...(typeof parent === 'string' ? [parent] : []), ...listReferred(cls, inputs)]
  const stubs = others.filter((other) => other !== key).map((other) => [other, stubOf(other)] as const)
  const value = { manifest: manifestId, resources: { ...Object.fromEntries(stubs), [key]: block } }
  // Expressions belong to manifests: here, the program has replaced its own.
  const text = JSON.stringify(value).replaceAll('${', () => '$${')
  const parsed = parseManifestText(
    { file: key, folder, text },
    { env: {}, files: new Map(), showPath: (path) => path },
  )
  const { manifest, issues } = assembleManifest(parsed.sources, parsed.complete)
  const base = joinPointer('/resources', key)
  const faults = [...reservedFaults(inputs), ...parsed.issues, ...issues]
    .filter((issue) => issue.severity === 'error' && !isUncertain(issue, base, resource.unknowns ?? []))
    .map((issue) => faultOf(issue, base))
  if (manifest === undefined) return { faults }
  const wanted = manifest.resources.get(key)
  return { faults, ...(faults.length > 0 || wanted === undefined ? {} : { manifest, wanted }) }
}

/** Replaces the file asset of a data source with its path. */
function withPaths(fields: Values): Values {
  const { data } = fields
  if (!isObject(data) || !isObject(data.source)) return fields
  const { source } = data
  const isFile = source[signatureKey] === signatures.asset && typeof source.path === 'string'
  return isFile ? { ...fields, data: { ...data, source: source.path } } : fields
}

function stubOf(key: string): Values {
  const id = /^#(\d{1,10})$/.exec(key)?.[1]
  if (key === rootKey) return { existing: true, id: 0 }
  return { existing: true, ...(id === undefined ? {} : { id: Number(id) }) }
}

/** Lists the keys of the resources that inputs refer to, besides the parent. */
export function listReferred(cls: Cls, inputs: Values): string[] {
  return Object.entries(descriptorOf(cls).members).flatMap(([member, schema]) => {
    const value = inputs[member]
    if (!isObject(value)) return []
    return findReferences(schema, value).flatMap(({ target, value: name }) =>
      target !== 'principal' && typeof name === 'string' ? [name] : [],
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
function isUncertain({ pointer = '', code }: Issue, base: Pointer, unknowns: readonly Pointer[]): boolean {
  if (!pointer.startsWith(base) || code === 'manifest/unknown-field') return false
  const at = pointer.slice(base.length)
  return unknowns.some(
    (unknown) =>
      at === unknown || at.startsWith(`${unknown}/`) || (at !== '' && unknown.startsWith(`${at}/`)),
  )
}

function faultOf({ pointer = '', message, hint }: Issue, base: Pointer): InputFault {
  const at = pointer.startsWith(base) ? pointer.slice(base.length) : pointer
  return { property: formatPropertyPath(at), reason: hint === undefined ? message : `${message}; ${hint}` }
}
