import { afterAll, expect } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Report } from '../../../src/reconcile/apply/outcome.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../../src/reconcile/plan/plan_manifest.ts'
import { adminPassword, type TestServer } from '../../support/server.ts'
import { type Block, manifestOf } from './literals.ts'

/** Blocks by key, below the top of a case, whose key is `T`. */
export type Blocks = Readonly<Record<string, Block>>

/** What a case of a law has for itself: a group of the server, which is empty otherwise. */
export interface Sandbox {
  readonly server: TestServer
  readonly api: Api
  /** Key and display name of the group. */
  readonly top: string
  /** Makes a manifest of the group and of blocks below it. */
  of(blocks: Blocks): Manifest
}

/**
 * Returns a function that gives each case of a law a group of its own. It deletes the groups of earlier cases: plans
 * read the whole tree, so that cases would take longer and longer.
 *
 * @param kept ids of groups that all cases share
 */
export function useSandboxes(
  start: () => Promise<TestServer>,
  kept: ReadonlySet<number> = new Set(),
): () => Promise<Sandbox> {
  let connection: { readonly server: TestServer; readonly api: Api } | undefined
  let count = 0
  afterAll(() => connection?.api.close())
  return async () => {
    connection ??= connect(await start())
    await emptyTree(connection.api, kept)
    count += 1
    const top = `t${count}`
    const of = (blocks: Blocks) => manifestOf({ [top]: { displayName: top }, ...renameTop(blocks, top) }, top)
    return { ...connection, top, of }
  }
}

/** Deletes all resources but the top of the tree and some groups below it. */
export async function emptyTree(api: Api, kept: ReadonlySet<number> = new Set()): Promise<void> {
  const found = (await api.call('resource.list', { query: { parent: 0 } })) as Representation[]
  const resources = found.map(({ resource }) => resource.id).filter((id) => !kept.has(id))
  if (resources.length > 0) await api.call('resource.delete_many', { query: { resources } })
}

function connect(server: TestServer) {
  return {
    server,
    api: createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } }),
  }
}

/** Puts a name in the place of `T` in keys and references. */
export function renameTop(blocks: Blocks, top: string): Blocks {
  return JSON.parse(
    JSON.stringify(blocks).replaceAll('"T.', `"${top}.`).replaceAll('"T"', `"${top}"`),
  ) as Blocks
}

/** Options of a manifest that deletes what it no longer contains. */
export const pruning: PlanOptions = { ...safeOptions, prune: true, fuse: 1 }

/** Plans a manifest that deletes what it no longer contains. */
export function planAll(api: Api, manifest: Manifest, options: Partial<PlanOptions> = {}): Promise<Plan> {
  return planManifest({ api, manifest, options: { ...pruning, ...options } })
}

/** Applies such a manifest, and expects that nothing fails. */
export async function applyAll(
  api: Api,
  manifest: Manifest,
  { atomic = true, ...options }: Partial<PlanOptions> & { readonly atomic?: boolean } = {},
): Promise<Report> {
  const plan = await planAll(api, manifest, options)
  expect(plan.issues.filter(({ severity }) => severity === 'error')).toEqual([])
  const report = await applyPlan({ api, plan, atomic })
  expectDone(report)
  expect(report.atomic).toBe(atomic && plan.changes.length > 0)
  return report
}

/** Expects that all changes of an apply were made. */
export function expectDone({ outcomes }: Report): void {
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed' || outcome === 'skipped')
  expect(failed.map(({ change, problem }) => `${change.key}: ${problem?.message}`)).toEqual([])
}
