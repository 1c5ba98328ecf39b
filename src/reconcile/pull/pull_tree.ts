import { dataOf, descriptorOf, filesOf, isCls } from '../../contract/registry.ts'
import { findReferences, targetIdOf } from '../../contract/schema/references.ts'
import { countOf, joinFirst } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import { orderBlock, type WrittenBlock, type WrittenManifest } from '../../manifest/rewrite.ts'
import { countFiles } from '../model/actual_files.ts'
import { type ActualResource, type ActualTree, listDescendants, readsAll } from '../model/actual_tree.ts'
import { type PulledExtensions, writeFeatures } from './pull_features.ts'
import { writeFiles } from './pull_files.ts'
import { findDataFile, type PulledFile } from './pulled_file.ts'
import { createKeyMaker } from './slug.ts'
import { writeAllUnmanaged, writeUnmanaged } from './unmanaged_fields.ts'
import { type Managed, warnOfManagers } from './warn_of_managers.ts'
import { warnOfScopes } from './warn_of_scopes.ts'
import { writeBlock } from './write_block.ts'
import { writeRecorded } from './write_recorded.ts'

/** A subtree to pull. */
export interface PullRequest {
  readonly tree: ActualTree
  /** Root of the subtree. */
  readonly root: ActualResource
  /** Id of the new manifest. */
  readonly manifestId: string
  /** Number of features by layer, if data and styles are written as files. */
  readonly counts?: ReadonlyMap<number, number | null> | undefined
  /** Descriptions and attachments of features by layer, if data are written as files. */
  readonly extensions?: ReadonlyMap<number, PulledExtensions> | undefined
}

/** A subtree as a manifest, with issues for resources it cannot describe. */
export interface PullResult {
  readonly manifest: WrittenManifest
  readonly issues: readonly Issue[]
  /** Number of pulled resources. */
  readonly count: number
  /** Files that the manifest names. */
  readonly files: readonly PulledFile[]
}

/** Context of a pull. */
export interface PullContext {
  readonly tree: ActualTree
  readonly manifestId?: string
  /** Ids of the topmost written resources. */
  readonly tops: ReadonlySet<number>
  /** Keys by id of all resources of the manifest. */
  readonly keyOf: ReadonlyMap<number, string>
  readonly issues: Issue[]
  /** Keys of the resources whose data are not written. */
  readonly withoutData: string[]
  /** Files to write, and their folder; absent if everything is in the manifest. */
  readonly files?: {
    readonly folder: string
    readonly counts: ReadonlyMap<number, number | null>
    readonly extensions: ReadonlyMap<number, PulledExtensions>
    readonly list: PulledFile[]
  }
}

/**
 * Writes a subtree as a manifest whose plan only adopts the resources. Keys are keynames, or derived from the display
 * name; referenced resources outside the subtree are existing resources of the manifest.
 */
export function pullTree({
  tree,
  root,
  manifestId,
  counts,
  extensions = new Map(),
}: PullRequest): PullResult {
  const inside = [root.id, ...listDescendants(tree, root.id)]
  const outside = listOutside(tree, inside)
  const above = root.parentId === null ? [] : [root.parentId]
  const named = [...new Set([...inside, ...above, ...outside])]
  const pulling: PullContext = {
    tree,
    manifestId,
    tops: new Set([root.id]),
    keyOf: assignKeys(tree, named),
    issues: [],
    withoutData: [],
    ...(counts === undefined ? {} : { files: { folder: manifestId, counts, extensions, list: [] } }),
  }
  const resources: Record<string, WrittenBlock> = {}
  for (const id of outside) if (!above.includes(id)) addExisting(pulling, resources, id)
  if (root.parentId === null) addExisting(pulling, resources, root.id, childrenBlocks(pulling, root.id))
  else addExisting(pulling, resources, root.parentId, blocksOf(pulling, [root.id]))
  const count = inside.length - (root.parentId === null ? 1 : 0)
  const within = new Set(inside)
  const managers = new Set(inside.map((id) => tree.byId.get(id)?.manager))
  const owners = [...managers].flatMap((manager) => listOwned(tree, manager, within))
  const issues = [...pulling.issues, ...warnOfManagers(owners, manifestId, 'resource')]
  return {
    manifest: { manifest: manifestId, resources },
    issues: [
      ...issues,
      ...warnOfUnread(tree, root),
      ...warnOfScopes(
        inside.flatMap((id) => (id === 0 ? [] : (tree.byId.get(id) ?? []))),
        pulling.keyOf,
      ),
      ...warnOfData(pulling.withoutData),
    ],
    count,
    files: pulling.files?.list ?? [],
  }
}

/** New resources of a server, below resources of a manifest. */
export interface NewResources {
  readonly tree: ActualTree
  /** Resources that the manifest gets, with all that is below them. */
  readonly added: readonly ActualResource[]
  /** Ids of the matched resources by key. */
  readonly ids: ReadonlyMap<string, number>
  /** Keys of the manifest. */
  readonly keys: ReadonlySet<string>
}

/** A block for a manifest, and the key of the block that it goes into. */
export interface NewBlock {
  readonly parent: string
  readonly key: string
  readonly block: WrittenBlock
  /** Number of resources in it. */
  readonly count: number
}

/** Writes new resources as blocks of an existing manifest: references to its resources are their keys, others are ids. */
export function writeNewBlocks({ tree, added, ids, keys }: NewResources): {
  readonly blocks: readonly NewBlock[]
  /** Ids of the resources in the blocks by key. */
  readonly ids: ReadonlyMap<string, number>
  readonly issues: readonly Issue[]
} {
  const parents = new Map([...ids].map(([key, id]) => [id, key] as const))
  const inside = added.flatMap(({ id }) => [id, ...listDescendants(tree, id)])
  const keyOf = new Map([...assignKeys(tree, inside, keys), ...parents])
  const tops = new Set(added.map(({ id }) => id))
  const pulling: PullContext = { tree, tops, keyOf, issues: [], withoutData: [] }
  const blocks = added.flatMap(({ id, parentId }) => {
    const parent = parentId === null ? undefined : parents.get(parentId)
    const key = keyText(pulling, id)
    const block = blocksOf(pulling, [id])[key]
    const count = 1 + listDescendants(tree, id).length
    return parent === undefined || block === undefined
      ? []
      : [{ parent, key, block: orderBlock(block), count }]
  })
  const roots = new Set(blocks.map(({ key }) => key))
  const written = added.flatMap(({ id }) =>
    roots.has(keyText(pulling, id)) ? [id, ...listDescendants(tree, id)] : [],
  )
  return {
    blocks,
    ids: new Map(written.map((id) => [keyText(pulling, id), id])),
    issues: [...pulling.issues, ...warnOfData(pulling.withoutData)],
  }
}

/** Warns that resources may be missing, so that a part of a tree is not taken for the whole. */
function warnOfUnread(tree: ActualTree, root: ActualResource): Issue[] {
  if (readsAll(tree)) return []
  const message = `this account cannot read all resources of the server, so some below "${root.displayName}" may be missing`
  const hint =
    'The manifest names children in unmanaged:, so that an apply with --prune deletes none of these. To write them, pull with an account that can read the whole tree.'
  return [{ code: 'plan/incomplete', message, severity: 'warning', hint }]
}

/** Warns that features, pixels and files are not pulled, so that applied elsewhere, the manifest creates empty resources. */
function warnOfData(keys: readonly string[]): Issue[] {
  if (keys.length === 0) return []
  const message = `the data of ${countOf(keys.length, 'resource')} are not pulled: ${joinFirst(keys)}`
  const hint = 'To create the resources on another server, pull with --with-data, or name files in data:.'
  return [{ code: 'plan/data-not-pulled', message, severity: 'warning', hint }]
}

/** Lists all resources of a manifest. */
function listOwned(tree: ActualTree, manager: string | undefined, pulled: ReadonlySet<number>): Managed[] {
  if (manager === undefined) return []
  const owned = [...tree.listManaged(manager)].filter((one) => one.manager === manager)
  return owned.map(({ id }) => ({ manager, isPulled: pulled.has(id) }))
}

function listOutside(tree: ActualTree, inside: readonly number[]): number[] {
  const within = new Set(inside)
  const referred = inside.flatMap((id) => listReferred(tree.byId.get(id)))
  return [...new Set(referred)].filter((id) => !within.has(id) && tree.byId.has(id))
}

function listReferred(resource: ActualResource | undefined): number[] {
  if (resource === undefined || !isCls(resource.cls)) return []
  return Object.entries(descriptorOf(resource.cls).members).flatMap(([member, schema]) =>
    findReferences(schema, resource.members[member]).flatMap(({ value, target }) => {
      const id = targetIdOf(value)
      return typeof id === 'number' && target !== 'principal' ? [id] : []
    }),
  )
}

function assignKeys(
  tree: ActualTree,
  ids: readonly number[],
  taken: ReadonlySet<string> = new Set(),
): Map<number, string> {
  const maker = createKeyMaker((key) => taken.has(key) || tree.byKeyname.has(key))
  const keys = new Map<number, string>()
  for (const id of ids) {
    const resource = tree.byId.get(id)
    if (resource === undefined) continue
    const name = id === 0 ? 'root' : resource.displayName
    keys.set(id, resource.keyname ?? maker.make(name, `${resource.cls}_${id}`))
  }
  return keys
}

function childrenBlocks(pulling: PullContext, id: number): Record<string, WrittenBlock> {
  return blocksOf(pulling, pulling.tree.childrenOf(id))
}

// Sorted for reproducible output.
function blocksOf(pulling: PullContext, ids: readonly number[]): Record<string, WrittenBlock> {
  const blocks: Record<string, WrittenBlock> = {}
  const sorted = [...ids].sort((a, b) => (keyText(pulling, a) < keyText(pulling, b) ? -1 : 1))
  for (const id of sorted) {
    const resource = pulling.tree.byId.get(id)
    if (resource === undefined) continue
    const children = childrenBlocks(pulling, id)
    const block = writeBlock(pulling, resource)
    if (block === undefined) addExisting(pulling, blocks, id, children)
    else {
      const written = { ...block, ...writeUnmanaged(resource, pulling), ...pullData(pulling, resource) }
      blocks[keyText(pulling, id)] = withChildren(written, children)
    }
  }
  return blocks
}

/** Names the file of the data of a layer, or the files of a bucket or form, in its block. */
function pullData(pulling: PullContext, resource: ActualResource): WrittenBlock {
  const { files, withoutData } = pulling
  const key = keyText(pulling, resource.id)
  if (files === undefined && countFiles(resource) > 0) withoutData.push(key)
  if (files !== undefined && filesOf(resource.cls) !== undefined) {
    const written = writeFiles(resource, { folder: files.folder, key })
    files.list.push(...written.files)
    return written.block
  }
  const content = dataOf(resource.cls)?.content
  if (content === undefined) return {}
  // An empty layer is created from its structure.
  if (files?.counts.get(resource.id) === 0) return {}
  const file = files === undefined ? undefined : findDataFile(resource, { folder: files.folder, key })
  if (file === undefined) withoutData.push(key)
  if (file === undefined || files === undefined) return {}
  files.list.push(file)
  // The data of the server stay as they are until the file is the source of the layer.
  return { data: { source: file.path, mode: 'seed' }, ...pullFeatures(pulling, resource) }
}

/** Names the attachments of the features of a layer in its block, and their descriptions. */
function pullFeatures({ files, issues, keyOf }: PullContext, resource: ActualResource): WrittenBlock {
  const found = files?.extensions.get(resource.id)
  if (files === undefined || found === undefined) return {}
  const key = keyOf.get(resource.id) ?? ''
  if (found.key === undefined) {
    const message = `descriptions and attachments of ${countOf(found.features.length, 'feature')} of "${key}" are not pulled: no field has a different value for each of them`
    issues.push({ code: 'plan/data-not-pulled', message, severity: 'warning' })
    return {}
  }
  const { block, files: attached } = writeFeatures(resource, found, { folder: files.folder, key })
  files.list.push(...attached)
  return block
}

const keyText = ({ keyOf }: PullContext, id: number) => keyOf.get(id) ?? ''

function withChildren(block: WrittenBlock, children: Record<string, WrittenBlock>): WrittenBlock {
  return Object.keys(children).length > 0 ? { ...block, children } : block
}

function addExisting(
  pulling: PullContext,
  blocks: Record<string, WrittenBlock>,
  ...[id, children = {}]: [id: number, children?: Record<string, WrittenBlock>]
): void {
  const resource = pulling.tree.byId.get(id)
  if (resource === undefined) return
  const cls = isCls(resource.cls) ? { cls: resource.cls } : {}
  const byId = resource.keyname === null ? { id } : {}
  const { manifestId } = pulling
  const recorded =
    manifestId === undefined
      ? {}
      : { ...writeRecorded(pulling, resource, manifestId), ...writeAllUnmanaged(resource, pulling) }
  blocks[keyText(pulling, id)] = withChildren({ existing: true, ...cls, ...byId, ...recorded }, children)
}
