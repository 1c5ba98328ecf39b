import { type Cls, descriptorOf } from '../contract/registry.ts'
import { findReferences, mapReferences } from '../contract/schema/references.ts'
import type { Manifest, WantedResource } from '../manifest/manifest.ts'
import { filesProperty } from '../provider/resource_files.ts'

/** A resource of a manifest that Pulumi manages. */
export interface ManagedResource extends WantedResource {
  readonly cls: Cls
}

/** Lists the resources of a manifest that Pulumi manages, each after its parent and the resources that it refers to. */
export function listManaged({ resources }: Manifest): ManagedResource[] {
  const listed = new Map<string, ManagedResource>()
  const visited = new Set<string>()
  const visit = (key: string) => {
    const wanted = resources.get(key)
    if (wanted === undefined || visited.has(key)) return
    visited.add(key)
    for (const name of listNeeds(wanted)) visit(name)
    if (isManaged(wanted)) listed.set(key, wanted)
  }
  for (const key of resources.keys()) visit(key)
  return [...listed.values()]
}

const isManaged = (wanted: WantedResource): wanted is ManagedResource =>
  !wanted.existing && wanted.cls !== undefined

function listNeeds({ cls, parent, members }: WantedResource): string[] {
  const schemas = (cls === undefined ? {} : descriptorOf(cls).members) as Readonly<Record<string, object>>
  const referred = Object.entries(members).flatMap(([name, value]) =>
    findReferences(schemas[name] ?? {}, value),
  )
  const keys = referred.flatMap(({ target, value }) =>
    target !== 'principal' && typeof value === 'string' ? [value] : [],
  )
  return [...(parent === undefined ? [] : [parent]), ...keys]
}

/** Writes the properties of a resource of a manifest; `keyOf` returns the key of a managed resource, or an output with it. */
export function writeProperties(
  wanted: ManagedResource,
  { resources }: Manifest,
  keyOf: (key: string) => unknown,
): Readonly<Record<string, unknown>> {
  const nameOf = (key: string) => {
    const { existing = false, id } = resources.get(key) ?? {}
    if (!existing) return keyOf(key)
    return id === undefined ? key : `#${id}`
  }
  const { cls, key, displayName, description, owner, permissions, resmeta, data, protect, parent } = wanted
  const schemas = descriptorOf(cls).members as Readonly<Record<string, object>>
  const members = Object.entries(wanted.members).map(([name, value]) => [
    name,
    mapReferences(schemas[name] ?? {}, value, ({ target, value: named }) =>
      target !== 'principal' && typeof named === 'string' ? nameOf(named) : named,
    ),
  ])
  return {
    key,
    display_name: displayName,
    description,
    owner,
    resmeta,
    permissions: permissions?.owns === 'listed' ? { include: permissions.rules } : permissions?.rules,
    ...(protect ? { protect } : {}),
    ...writeUnmanaged(wanted.unmanaged),
    ...(parent === undefined || resources.get(parent)?.id === 0 ? {} : { parent: nameOf(parent) }),
    ...Object.fromEntries(members),
    ...(data === undefined ? {} : { data: writeData(data) }),
    ...writeFiles(cls, wanted.files),
    ...writeFeatures(wanted.features),
  }
}

/** Pulumi deletes nothing that a program has not declared before, so that resources below need not be named. */
function writeUnmanaged(names: WantedResource['unmanaged']): object {
  const unmanaged = [...(names ?? [])].filter((name) => name !== 'children')
  return unmanaged.length === 0 ? {} : { unmanaged }
}

function writeFiles(cls: Cls, files: WantedResource['files']): object {
  const property = filesProperty(cls)
  if (files === undefined || property === undefined) return {}
  if (property === 'file') return { file: files[0]?.path }
  return { files: files.map(({ path, name, mimeType }) => ({ path, name, mime_type: mimeType })) }
}

function writeFeatures(features: WantedResource['features']): object {
  if (features === undefined) return {}
  const { key, descriptions, attachments } = features
  const lists = [...(attachments ?? [])].map(([feature, list]) => [
    feature,
    list.map(({ path, name, mimeType, description }) => ({ path, name, mime_type: mimeType, description })),
  ])
  return {
    features: {
      key,
      ...(descriptions === undefined ? {} : { descriptions: Object.fromEntries(descriptions) }),
      ...(attachments === undefined ? {} : { attachments: Object.fromEntries(lists) }),
    },
  }
}

function writeData(data: NonNullable<WantedResource['data']>): object {
  const { path, mode, featureKey, allowLoss, options } = data
  return { source: path, mode, key: featureKey, allow_loss: allowLoss, ...options }
}
