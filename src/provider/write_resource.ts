import type { Api } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import { hasFeatures, isCls } from '../contract/registry.ts'
import { countOf } from '../core/count.ts'
import { hasErrors } from '../core/issue.ts'
import { isProblem } from '../core/problem.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { applyPlan } from '../reconcile/apply/apply_plan.ts'
import { readActual } from '../reconcile/model/actual_tree.ts'
import { safeOptions } from '../reconcile/model/plan_input.ts'
import { planFrom } from '../reconcile/plan/plan_manifest.ts'
import { type RememberedTree, readerAround, type TreeMemory } from './tree_memory.ts'

/** Connection of a configured provider. */
export interface Connection {
  readonly api: Api
  readonly memory: TreeMemory
  /** Id of the manifest that manages the resources. */
  readonly manifestId: string
  readonly allowDelete: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** A resource to write. */
export interface Write {
  readonly key: string
  /** Resource with its parent and the targets of its references. */
  readonly manifest: Manifest
  /** Id on the server; absent for creations. */
  readonly id?: number
  /** Whether its secrets are sent. */
  readonly sendsSecrets: boolean
}

/**
 * Creates or updates a resource and returns its id. A resource that an interrupted creation has left is adopted.
 *
 * @throws {Problem} resource/key-taken, resource/not-found, apply/failed with its issues, and those of the server
 */
export async function writeResource(connection: Connection, write: Write): Promise<number> {
  try {
    return await attempt(connection, write)
  } catch (error) {
    // Others have written since the tree was read: the failed attempt has cleared the memory.
    if (!isProblem(error, 'apply/stale')) throw error
    return attempt(connection, write)
  }
}

async function attempt(connection: Connection, write: Write): Promise<number> {
  const { api, memory, signal } = connection
  const tree = await memory.load()
  if (write.id === undefined) refuseTaken(connection, tree, write.key)
  else if (!tree.byId.has(write.id)) throw gone(write)
  const reader = readerAround({ api, tree, ids: idsOf(tree, write), signal })
  const keys = new Set([write.key])
  const options = { ...safeOptions, sendSecrets: write.sendsSecrets ? keys : new Set<string>() }
  const plan = await planFrom({ reader, manifest: write.manifest, options, signal })
  if (hasErrors(plan.issues)) {
    const reasons = plan.issues.filter(({ severity }) => severity === 'error')
    const text = reasons.map(({ message, hint }) => (hint === undefined ? message : `${message}. ${hint}`))
    throw problem('apply/failed', text.join('\n'), { issues: plan.issues, hint: undefined })
  }
  const report = await applyPlan({ api, plan, signal })
  const failed = report.problem ?? report.outcomes.find((outcome) => outcome.problem !== undefined)?.problem
  if (failed !== undefined) {
    memory.clear()
    throw failed
  }
  const id =
    write.id ?? report.outcomes.find(({ change }) => change.key === write.key)?.id ?? plan.ids.get(write.key)
  if (id === undefined)
    throw problem('http/unexpected', `The server did not return the id of "${write.key}".`)
  await memory.refresh(id)
  return id
}

function idsOf(tree: RememberedTree, { manifest, id }: Write): number[] {
  const named = [...manifest.resources.values()].flatMap((wanted) => [
    tree.idOfKey.get(wanted.key) ?? wanted.id ?? [],
  ])
  return [...named.flat(), ...(id === undefined ? [] : [id]), 0]
}

function refuseTaken({ manifestId }: Connection, tree: RememberedTree, key: string): void {
  const id = tree.idOfKey.get(key)
  const wire = id === undefined ? undefined : tree.byId.get(id)
  if (wire === undefined || readActual(wire).manager === manifestId) return
  throw problem('resource/key-taken', `Resource ${id} already has the key "${key}".`, {
    hint: `Import it with the option import: "${key}", or use another key.`,
  })
}

function gone({ key, id }: Write) {
  return problem('resource/not-found', `"${key}" (resource ${id}) is not on the server any more.`, {
    hint: 'Run pulumi refresh, then pulumi up.',
  })
}

/**
 * Deletes a resource. One that is gone is deleted.
 *
 * @throws {Problem} plan/protected, plan/taken-along, plan/fuse, and those of the server
 */
export async function deleteResource(connection: Connection, id: number): Promise<void> {
  const { api, memory, signal } = connection
  const tree = await memory.load()
  const wire = tree.byId.get(id)
  if (wire !== undefined) await refuseLoss(connection, tree, id)
  try {
    await api.call('resource.delete', { params: { id }, signal })
  } catch (error) {
    if (!isProblem(error) || error.status !== 404) throw error
  }
  memory.forget(id)
}

async function refuseLoss({ api, allowDelete, signal }: Connection, tree: RememberedTree, id: number) {
  const wire = tree.byId.get(id)
  if (wire === undefined) return
  const { protect, keyname, displayName, cls } = readActual(wire)
  const name = keyname ?? displayName
  if (protect) throw problem('plan/protected', `"${name}" is protected.`)
  const children = [...tree.byId.values()].filter(({ resource }) => resource.parent?.id === id)
  if (children.length > 0 && !allowDelete.has(name)) {
    throw problem(
      'plan/taken-along',
      `"${name}" has ${countOf(children.length, 'resource')} below it that would be deleted with it.`,
      {
        hint: `Delete or move them first, or list "${name}" in landform:allow_delete.`,
      },
    )
  }
  if (!isCls(cls) || !hasFeatures(cls) || allowDelete.has(name)) return
  const { total_count: count } = await api.call('feature.count', { params: { id }, signal })
  if (count > 0)
    throw problem('plan/fuse', `"${name}" has ${countOf(count, 'feature')}.`, {
      hint: `To delete them, list "${name}" in landform:allow_delete.`,
    })
}
