import { problem } from '../contract/problems.ts'
import { hasFeatures, isCls } from '../contract/registry.ts'
import { countOf } from '../core/count.ts'
import { isProblem } from '../core/problem.ts'
import { countFiles } from '../reconcile/model/actual_files.ts'
import { readActual } from '../reconcile/model/actual_tree.ts'
import type { CheckedResources } from './checked_resources.ts'
import { parseUrn } from './resource_type.ts'
import type { RememberedTree } from './tree_memory.ts'
import type { Connection } from './write_resource.ts'

/**
 * Deletes a resource. One that is gone is deleted.
 *
 * @throws {Problem} plan/protected, plan/taken-along, plan/fuse, and those of the server
 */
export async function deleteResource(
  connection: Connection,
  id: number,
  checked: CheckedResources,
): Promise<void> {
  const { api, memory, signal } = connection
  const tree = await memory.load()
  // Children may have been moved away before.
  await memory.freshen([id, ...(tree.childrenOf.get(id) ?? [])])
  await refuseLoss(connection, { tree, id, checked })
  try {
    await api.call('resource.delete', { params: { id }, signal })
  } catch (error) {
    if (!isProblem(error) || error.status !== 404) throw error
  }
  memory.forget(id)
}

interface Deletion {
  readonly tree: RememberedTree
  readonly id: number
  readonly checked: CheckedResources
}

async function refuseLoss({ api, allowDelete, signal }: Connection, { tree, id, checked }: Deletion) {
  const wire = tree.byId.get(id)
  if (wire === undefined) return
  const actual = readActual(wire)
  const { protect, keyname, displayName, cls } = actual
  const name = keyname ?? displayName
  if (protect)
    throw problem('plan/protected', `"${name}" is protected.`, {
      hint: 'Set protect: false on the resource, and run pulumi up, before its deletion.',
    })
  refuseReferred(name, checked)
  const children = tree.childrenOf.get(id)?.size ?? 0
  if (children > 0 && !allowDelete.has(name)) {
    throw problem(
      'plan/taken-along',
      `"${name}" has ${countOf(children, 'resource')} below it that would be deleted with it.`,
      { hint: `Delete or move them first, or ${allowing(name)}` },
    )
  }
  if (allowDelete.has(name)) return
  const isLayer = isCls(cls) && hasFeatures(cls)
  const features = isLayer ? (await api.call('feature.count', { params: { id }, signal })).total_count : 0
  const lost = features > 0 ? countOf(features, 'feature') : countOf(countFiles(actual), 'file')
  if (features > 0 || countFiles(actual) > 0)
    throw problem('plan/fuse', `"${name}" has ${lost}.`, { hint: `To delete them, ${allowing(name)}` })
}

// The engine gives a deletion of the whole stack the settings of the last update.
const allowing = (name: string) =>
  `list "${name}" in landform:allow_delete, or for pulumi destroy in the environment variable LANDFORM_ALLOW_DELETE.`

/** Refuses to delete what resources of the program still name, unless it is replaced. */
function refuseReferred(name: string, checked: CheckedResources): void {
  if (checked.has(name)) return
  const [referrer] = checked.listReferrers(name)
  if (referrer === undefined) return
  const { resource, property } = referrer
  throw problem(
    'plan/taken-along',
    `"${name}" is deleted, but ${parseUrn(resource.urn).name} still names it in ${property}.`,
    { hint: `Remove it from ${property}, or keep "${name}" in the program.` },
  )
}
