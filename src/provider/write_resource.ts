import type { Api } from '../api/api.ts'
import { notesOf } from '../contract/bodies/import_report.ts'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import { hasErrors } from '../core/issue.ts'
import { isProblem } from '../core/problem.ts'
import type { Manifest, WantedResource } from '../manifest/manifest.ts'
import { applyPlan } from '../reconcile/apply/apply_plan.ts'
import type { Outcome, Report } from '../reconcile/apply/outcome.ts'
import { readActual } from '../reconcile/model/actual_tree.ts'
import type { Plan } from '../reconcile/model/change.ts'
import { safeOptions } from '../reconcile/model/plan_input.ts'
import { planFrom } from '../reconcile/plan/plan_manifest.ts'
import { type RememberedTree, readerAround, type TreeMemory } from './tree_memory.ts'

/** Connection of a configured provider. */
export interface Connection {
  readonly api: Api
  readonly memory: TreeMemory
  /** Id of the manifest that manages the resources; derived from the stack if absent. */
  readonly manifestId: string | undefined
  readonly allowDelete: ReadonlySet<string>
  readonly allowUndeclared: boolean
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

/** A written resource. */
export interface Written {
  readonly id: number
  /** What of it does not work as written. */
  readonly warnings: readonly string[]
}

/**
 * Creates or updates a resource. A resource that an interrupted creation has left is adopted.
 *
 * @throws {Problem} resource/key-taken, resource/not-found, apply/failed with its issues, and those of the server
 */
export async function writeResource(connection: Connection, write: Write): Promise<Written> {
  try {
    return await attempt(connection, write)
  } catch (error) {
    // Others have written since the tree was read: the failed attempt has cleared the memory.
    if (!isProblem(error, 'apply/stale')) throw error
    return attempt(connection, write)
  }
}

async function attempt(connection: Connection, write: Write): Promise<Written> {
  const plan = await planWrites(connection, [write])
  refuseErrors(plan)
  const report = await applyWrites(connection, plan)
  const failed = failureOf(report)
  if (failed !== undefined) throw failed
  const written = findWritten(write, plan, report)
  if (written === undefined)
    throw problem('http/unexpected', `The server did not return the id of "${write.key}".`)
  await connection.memory.markWritten(written.id, write.key)
  return written
}

/**
 * Plans a write without making it. A creation is planned as if the resource did not exist: one that is replaced is deleted first.
 *
 * @throws {Problem} as `writeResource`
 */
export async function planWrite(connection: Connection, write: Write): Promise<void> {
  const { idOfKey } = await connection.memory.load()
  const replaced = write.id === undefined ? idOfKey.get(write.key) : undefined
  refuseErrors(await planWrites(connection, [write], replaced))
}

/**
 * Writes resources that do not depend on each other in one request, if the server supports it. Returns those that were
 * written: a failure of one takes back the others.
 */
export async function writeTogether(
  connection: Connection,
  writes: readonly Write[],
): Promise<ReadonlyMap<Write, Written>> {
  const written = new Map<Write, Written>()
  const plan = await planWrites(connection, writes).catch(ignoreProblem)
  if (plan === undefined || hasErrors(plan.issues)) return written
  const report = await applyWrites(connection, plan)
  for (const write of writes) {
    const outcome = findOutcome(write, report)
    const isDone = outcome === undefined ? report.problem === undefined : outcome.problem === undefined
    const found = isDone && outcome?.outcome !== 'skipped' ? findWritten(write, plan, report) : undefined
    if (found === undefined) continue
    await connection.memory.markWritten(found.id, write.key)
    written.set(write, found)
  }
  return written
}

function ignoreProblem(error: unknown): undefined {
  if (!isProblem(error)) throw error
}

async function planWrites(
  connection: Connection,
  writes: readonly Write[],
  replaced?: number,
): Promise<Plan> {
  const { api, memory, signal, allowDelete } = connection
  const tree = await memory.load()
  const named = new Set(writes.flatMap((write) => idsOf(tree, write)))
  const ids = [...named].filter((id) => id !== replaced)
  await memory.freshen(ids)
  for (const write of writes) {
    if (write.id === undefined) refuseTaken(tree, write)
    else if (!tree.byId.has(write.id)) throw gone(write)
  }
  const sent = writes.filter(({ sendsSecrets }) => sendsSecrets).map(({ key }) => key)
  const reader = readerAround({ api, tree, ids, signal })
  const options = { ...safeOptions, allowLoss: allowDelete, sendSecrets: new Set(sent) }
  return planFrom({ reader, manifest: joinManifests(writes), options, signal })
}

/** Joins the manifests of writes: what one of them writes is no stub. */
function joinManifests(writes: readonly Write[]): Manifest {
  const [first, ...rest] = writes
  if (first === undefined || rest.length === 0) return first?.manifest ?? { id: '', resources: new Map() }
  const stubs = new Map<string, WantedResource>()
  const own = new Map<string, WantedResource>()
  for (const { key, manifest } of writes)
    for (const [name, wanted] of manifest.resources) (name === key ? own : stubs).set(name, wanted)
  for (const key of own.keys()) stubs.delete(key)
  const ordered = new Map<string, WantedResource>()
  const place = (key: string, wanted: WantedResource) => {
    const parent = wanted.parent === undefined ? undefined : own.get(wanted.parent)
    if (parent !== undefined && !ordered.has(parent.key)) place(parent.key, parent)
    ordered.set(key, wanted)
  }
  for (const [key, wanted] of own) if (!ordered.has(key)) place(key, wanted)
  return { ...first.manifest, resources: new Map([...stubs, ...ordered]) }
}

function refuseErrors({ issues }: Plan): void {
  if (!hasErrors(issues)) return
  const reasons = issues.filter(({ severity }) => severity === 'error')
  const text = reasons.map(({ message, hint }) =>
    hint === undefined ? message : `${message}. ${hint.replace(lossOption, lossSetting)}`,
  )
  throw problem('apply/failed', text.join('\n'), { issues, hint: undefined })
}

// Hints of plans name options of the command line.
const lossOption = /use --allow-loss (\S+?)(?=\.$|, or )/
const lossSetting = 'list "$1" in landform:allow_delete'

async function applyWrites({ api, memory, signal }: Connection, plan: Plan): Promise<Report> {
  const report = await applyPlan({ api, plan, signal, breakOff: signal })
  if (failureOf(report) !== undefined) memory.clear()
  return report
}

function failureOf({ problem: whole, outcomes, interrupted }: Report) {
  const failed = whole ?? outcomes.find((outcome) => outcome.problem !== undefined)?.problem
  if (failed !== undefined || !interrupted) return failed
  return problem('pipeline/interrupted', 'The update was cancelled before the resource was written.')
}

const findOutcome = ({ key }: Write, { outcomes }: Report): Outcome | undefined =>
  outcomes.find(({ change }) => change.key === key)

function findWritten(write: Write, plan: Plan, report: Report): Written | undefined {
  const outcome = findOutcome(write, report)
  const id = write.id ?? outcome?.id ?? plan.ids.get(write.key)
  return id === undefined ? undefined : { id, warnings: listWarnings(outcome) }
}

function listWarnings(outcome: Outcome | undefined): string[] {
  const styles = outcome?.styleIssues?.map(({ message }) => message) ?? []
  const { report } = outcome ?? {}
  if (report === undefined) return styles
  const { bad_count: count, bad } = report
  const reasons = bad.map(({ number, reason }) => `feature ${number}: ${reason}`)
  const skipped = count > 0 ? [`${countOf(count, 'invalid feature')} skipped: ${reasons.join('; ')}`] : []
  return [...styles, ...skipped, ...notesOf(report)]
}

function idsOf(tree: RememberedTree, { manifest, id }: Write): number[] {
  const named = [...manifest.resources.values()].flatMap((wanted) => [
    tree.idOfKey.get(wanted.key) ?? wanted.id ?? [],
  ])
  return [...named.flat(), ...(id === undefined ? [] : [id]), 0]
}

function refuseTaken(tree: RememberedTree, { key, manifest }: Write): void {
  const id = tree.idOfKey.get(key)
  const wire = id === undefined ? undefined : tree.byId.get(id)
  if (wire === undefined || readActual(wire).manager === manifest.id) return
  throw problem('resource/key-taken', `Resource ${id} already has the key "${key}".`, {
    hint: `Import it with the option import: "${key}", or use another key.`,
  })
}

function gone({ key, id }: Write) {
  return problem('resource/not-found', `"${key}" (resource ${id}) is not on the server any more.`, {
    hint: 'Run pulumi refresh, then pulumi up.',
  })
}
