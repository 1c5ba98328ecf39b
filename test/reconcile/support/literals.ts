import { expect } from 'vitest'
import type { TreeHead } from '../../../src/api/read_tree.ts'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { MetadataValue } from '../../../src/contract/bodies/resource.ts'
import type { Cls } from '../../../src/contract/registry.ts'
import type { Manifest, WantedResource, WantedRule } from '../../../src/manifest/manifest.ts'
import { type ActualTree, collectTree } from '../../../src/reconcile/model/actual_tree.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { type PlanInput, type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { computePlan, type Planning } from '../../../src/reconcile/plan/compute_plan.ts'

/** A wanted resource as a test writes it; the class is resource_group and the parent `root` where they are left out. */
export type Block = Partial<Omit<WantedResource, 'spanOf' | 'key'>>

/** Makes a manifest of blocks by key, below the top of the tree, whose key is `root`. */
export function manifestOf(blocks: Readonly<Record<string, Block>>, id = 'test'): Manifest {
  const top: Block = { existing: true, id: 0 }
  const all: Record<string, Block> = { root: top, ...blocks }
  return { id, resources: new Map(Object.entries(all).map(([key, block]) => [key, wantedOf(key, block)])) }
}

/** Makes one wanted resource. */
export function wantedOf(key: string, block: Block): WantedResource {
  const own = block.existing ? {} : { cls: 'resource_group' as const, parent: 'root', displayName: key }
  const spanOf = () => ({ file: 'test.yaml', line: 1, column: 1, endLine: 1, endColumn: 2 })
  return { key, existing: false, protect: false, members: {}, ...own, ...block, spanOf }
}

/** A resource of the server as a test writes it; managed by the manifest `test` where `manager` is left out. */
export interface Row {
  readonly id: number
  readonly key?: string | null
  readonly cls?: Cls
  readonly parent?: number | null
  readonly name?: string
  readonly description?: string | null
  readonly rules?: readonly object[]
  /** Null for nobody. */
  readonly manager?: string | null
  readonly meta?: Readonly<Record<string, MetadataValue>>
  /** Undefined members as on the wire. */
  readonly members?: Readonly<Record<string, object>>
  readonly version?: number
  /** Members that the caller cannot read. */
  readonly hidden?: readonly string[]
}

/** Makes the representation of a row. */
export function wireOf(row: Row): Representation {
  const { id, cls = 'resource_group', parent = 0, key = null, manager = 'test' } = row
  const marker = manager === null ? {} : { 'landform.manager': `${manager}/${id}` }
  return {
    resource: {
      id,
      cls,
      parent: parent === null ? null : { id: parent },
      keyname: key,
      display_name: row.name ?? key ?? `#${id}`,
      description: row.description ?? null,
      owner_user: { id: 4 },
      permissions: (row.rules ?? []) as never,
      version: row.version ?? 1,
    },
    ...(row.hidden?.includes('resmeta') ? {} : { resmeta: { items: { ...marker, ...row.meta } } }),
    ...row.members,
  } as Representation
}

const principals = [
  { id: 1, kind: 'user', keyname: 'guest' },
  { id: 4, kind: 'user', keyname: 'administrator' },
  { id: 5, kind: 'group', keyname: 'administrators' },
  { id: 6, kind: 'user', keyname: 'editors' },
  { id: 7, kind: 'group', keyname: 'editors' },
] as const

/** Makes a tree of rows below the top, which is there always. */
export function treeOf(rows: readonly Row[], head: Partial<TreeHead> = {}): ActualTree {
  const collector = collectTree()
  collector.take(wireOf({ id: 0, parent: null, name: 'Main', manager: null }))
  for (const row of rows) collector.take(wireOf(row))
  return collector.finish({
    landform: '0.1.0',
    caller: 'ada',
    administrator: true,
    complete: true,
    principals,
    ...head,
  })
}

/** What a test plans. */
export interface Case {
  readonly blocks: Readonly<Record<string, Block>>
  readonly rows: readonly Row[]
  readonly options?: Partial<PlanOptions>
  readonly files?: PlanInput['files']
  readonly counts?: PlanInput['counts']
  readonly contents?: NonNullable<PlanInput['contents']>
  readonly head?: Partial<TreeHead>
  readonly visibility?: PlanInput['visibility']
  readonly loads?: NonNullable<PlanInput['loads']>
  readonly values?: NonNullable<PlanInput['values']>
}

/** Plans blocks against rows. */
export function planningOf({
  blocks,
  rows,
  options,
  files,
  counts,
  contents,
  head,
  visibility,
  loads,
  values,
}: Case): Planning {
  return computePlan({
    manifest: manifestOf(blocks),
    actual: treeOf(rows, head),
    server: 'http://test',
    files: files ?? new Map(),
    counts: counts ?? new Map(),
    visibility,
    ...(contents === undefined ? {} : { contents }),
    ...(loads === undefined ? {} : { loads }),
    ...(values === undefined ? {} : { values }),
    options: { ...safeOptions, ...options },
  })
}

/** Plans blocks against rows, and gives the plan. */
export function planOf(one: Case): Plan {
  return planningOf(one).plan
}

/** Tells a plan in a few words: `~ a /display_name`, one line an edit or change. */
export function tell(plan: Plan): string[] {
  return plan.changes.flatMap(({ action, key, edits }) =>
    edits.length === 0 ? [`${action} ${key}`] : edits.map(({ pointer }) => `${action} ${key} ${pointer}`),
  )
}

/** Codes of the issues of a plan. */
export function codesOf({ issues }: Plan): string[] {
  return issues.map(({ code, severity }) => (severity === 'warning' ? `(${code})` : code))
}

/** A rule for a principal; everybody may read where nothing else is said. */
export function ruleOf(principal: string, more: Partial<WantedRule> = {}): WantedRule {
  return {
    action: 'allow',
    principal,
    identity: '',
    scope: 'resource',
    permission: 'read',
    propagate: false,
    ...more,
  }
}

/** Matches the record of the fields with these names that the manifest `test` sets. */
export function recordOf(names: string, manifest = 'test'): object {
  const words = names.split(' ').map((name) => `${name.replaceAll('.', '\\.')}(=[\\w-]{8}(:[\\w-]*)?)?`)
  const fields = expect.stringMatching(new RegExp(`^\\d+ ${words.join(' ')}$`))
  return { [`landform.fields.${manifest}`]: fields }
}
