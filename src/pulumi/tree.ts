import { resolve } from 'node:path'
import {
  type Alias,
  ComponentResource,
  type ComponentResourceOptions,
  type Output,
  output,
  RunError,
} from '@pulumi/pulumi'
import type { Issue } from '../core/issue.ts'
import { formatSpan } from '../core/span.ts'
import { findHint } from '../core/suggest.ts'
import { loadManifest } from '../manifest/load_manifest.ts'
import type { Manifest, WantedResource } from '../manifest/manifest.ts'
import { packageName } from '../provider/resource_type.ts'
import { LandformResource } from './landform_resource.ts'
import { listManaged, writeProperties } from './tree_properties.ts'

/** Manifests of a tree. */
export interface TreeArgs {
  /** Files and folders of manifests, relative to `folder`. */
  readonly manifests: readonly string[]
  /** Folder that paths start from; that of the program if absent. */
  readonly folder?: string
  /** Variables for `${env.NAME}`; none if absent. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Whether to leave out what Pulumi cannot manage: fields of existing resources, users, groups, and records of the catalog.
   * If false, manifests with these are refused.
   */
  readonly resourcesOnly?: boolean
}

/**
 * The resources of manifests. Each of them is a child with its own difference, named after its key; references between them are
 * dependencies.
 */
export class Tree extends ComponentResource<ReadonlyMap<string, LandformResource>> {
  constructor(name: string, args: TreeArgs, options?: ComponentResourceOptions) {
    super(`${packageName}:index:Tree`, name, { tree: args }, options)
  }

  /** Returns a resource by key. */
  resource(key: string): Output<LandformResource> {
    return output(this.getData().then((found) => pick(found, key)))
  }

  /** `resource_id` of each resource by key: a number, as in the API. Pulumi's own `id` is the same as text. */
  get ids(): Output<Record<string, number>> {
    const ids = this.getData().then((found) =>
      Object.fromEntries([...found].map(([key, { resource_id }]) => [key, resource_id])),
    )
    return output(ids) as Output<Record<string, number>>
  }

  protected override async initialize({ tree }: { readonly tree: TreeArgs }) {
    const manifest = await readManifests(tree)
    const children = new Map<string, LandformResource>()
    for (const wanted of listManaged(manifest)) {
      const { cls, key, was } = wanted
      // Outputs of others make them dependencies.
      const args = writeProperties(wanted, manifest, (name) => children.get(name)?.key ?? name)
      const aliases: Alias[] = was === undefined ? [] : [{ name: was }]
      children.set(key, new LandformResource(cls, key, { args, options: { parent: this, aliases } }))
    }
    this.registerOutputs({})
    return children
  }
}

function pick(children: ReadonlyMap<string, LandformResource>, key: string): LandformResource {
  const found = children.get(key)
  if (found !== undefined) return found
  throw new RunError(`The tree has no resource "${key}". ${findHint(key, [...children.keys()]) ?? ''}`.trim())
}

async function readManifests(args: TreeArgs): Promise<Manifest> {
  const { manifests, folder = resolve('.'), env = {}, resourcesOnly = false } = args
  const { manifest, issues } = await loadManifest({ paths: manifests, cwd: folder, env })
  const errors = issues.filter(({ severity }) => severity === 'error')
  if (manifest === undefined) throw new RunError(errors.map(formatIssue).join('\n'))
  const swapped = [...manifest.resources.values()].find(({ was = '' }) => manifest.resources.has(was))
  if (swapped !== undefined)
    throw new RunError(
      `Pulumi cannot rename "${swapped.was}" to "${swapped.key}" while another resource of the manifests has the key "${swapped.was}". Rename it in two updates.`,
    )
  const unmanaged = resourcesOnly ? [] : listUnmanaged(manifest)
  if (unmanaged.length === 0) return manifest
  throw new RunError(
    `Pulumi does not manage ${unmanaged.join(', ')} of the manifests. Apply them with landform apply, and set resourcesOnly: true to leave them out here.`,
  )
}

function formatIssue({ span, message, hint }: Issue): string {
  const place = span === undefined ? '' : `${formatSpan(span)}: `
  return `${place}${message}${hint === undefined ? '' : `; ${hint}`}`
}

function listUnmanaged({ resources, principals, catalog }: Manifest): string[] {
  const existing = [...resources.values()].filter((wanted) => wanted.existing && setsFields(wanted))
  return [
    ...existing.map(({ key }) => `the fields of "${key}"`),
    ...(principals === undefined ? [] : ['users and groups']),
    ...(catalog === undefined ? [] : ['the catalog']),
  ]
}

function setsFields({
  displayName,
  description,
  owner,
  permissions,
  resmeta,
  members,
  protect,
}: WantedResource) {
  const fields = [displayName, description, owner, permissions, resmeta]
  return fields.some((field) => field !== undefined) || Object.keys(members).length > 0 || protect
}
