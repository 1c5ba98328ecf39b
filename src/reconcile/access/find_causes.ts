import type { AccessResource, AccessRule, AccessTree, Key } from '../../access/access_tree.ts'
import { explainPermission, type Reason } from '../../access/explain_access.ts'
import { namesOf } from '../../access/permission_mask.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import type { Principals } from '../model/principals.ts'
import type { AccessTrees } from './access_trees.ts'
import type { AffectedResource, Effect } from './compare_access.ts'

/** What the search needs to know. */
export interface CauseContext {
  readonly trees: AccessTrees
  readonly manifest: Pick<Manifest, 'resources'>
  readonly principals: Principals
}

/**
 * Creates the function that finds the positions of the causes of a change: the rules that were added or removed, else the
 * nearest resource of the chain that is created, moved or changed. Resources below the same changed resource with the same
 * change share their cause.
 */
export function createCauseFinder(context: CauseContext): (effect: Effect) => readonly Span[] {
  const known = new Map<string, readonly Span[]>()
  const nearest = createNearest(context.trees)
  return (effect) => {
    const { resource, subject, change, mask } = effect
    // The plan lists deletions; the manifest has no place for them.
    if (resource.after === undefined) return []
    const key = JSON.stringify([
      subject.names[0],
      change,
      mask,
      clsOf(context.trees, resource),
      ...nearest(resource),
    ])
    const before = known.get(key)
    if (before !== undefined) return before
    const found = causesOf(effect, context)
    known.set(key, found)
    return found
  }
}

const clsOf = ({ before, after }: AccessTrees, resource: AffectedResource) =>
  (after.get(resource.after ?? '') ?? before.get(resource.before ?? ''))?.cls

/** Returns a function that lists the nearest touched resources of the chains before and after. */
function createNearest({ before, after, touched }: AccessTrees) {
  const ups = [before, after].map((tree) => {
    const known = new Map<Key, Key | null>()
    const find = (key: Key | undefined): Key | null => {
      if (key === undefined) return null
      if (touched.has(key)) return key
      const found = known.get(key) ?? find(tree.get(key)?.parent)
      known.set(key, found)
      return found
    }
    return find
  })
  const connection = ({ before: old, after: next }: AffectedResource) =>
    after.get(next ?? '')?.connection ?? before.get(old ?? '')?.connection ?? null
  return (resource: AffectedResource) => [
    ups[0]?.(resource.before) ?? null,
    ups[1]?.(resource.after) ?? null,
    connection(resource),
  ]
}

function causesOf(effect: Effect, context: CauseContext): readonly Span[] {
  const found = distinct(
    decisive(effect.mask).flatMap((permission) => rulesBehind(effect, permission, context)),
  )
  return found.length > 0 ? found : distinct([spanOfNearest(context, effect.resource)])
}

/** The first permission of each scope, which others require, and those on data: rules usually grant them apart. */
function decisive(mask: Effect['mask']): PermissionName[] {
  const names = namesOf(mask)
  const scopeOf = (name: PermissionName) => name.slice(0, name.indexOf('.'))
  const isFirst = (name: PermissionName) => names.find((one) => scopeOf(one) === scopeOf(name)) === name
  return names.filter((name) => isFirst(name) || scopeOf(name) === 'data')
}

/** Finds added rules with the effect, else removed rules against it: of the permission itself, else of what it requires. */
function rulesBehind(
  { resource, subject, change }: Effect,
  permission: PermissionName,
  context: CauseContext,
): (Span | undefined)[] {
  const { before, after } = context.trees
  const reasonsOf = (tree: AccessTree, key: Key | undefined) =>
    key === undefined ? [] : explainPermission(tree, subject.subject, { key, permission }).reasons
  const gains = change === 'gain'
  const added = findRules(
    reasonsOf(after, resource.after),
    ({ result, resource: on, rule }) => result === gains && !hasRule(before.get(on), rule),
  )
  if (added.length > 0) return added.map(({ resource: on, rule }) => spanOfRule(context, on, rule))
  const removed = findRules(
    reasonsOf(before, resource.before),
    ({ result, resource: on, rule }) => result !== gains && after.has(on) && !hasRule(after.get(on), rule),
  )
  return removed.map(({ resource: on }) => spanOf(context, on, '/permissions'))
}

type RuleReason = Extract<Reason, { type: 'acl_rule' }>

/** Finds rules among the reasons of a permission; if there are none, among those of the permissions that it requires. */
function findRules(reasons: readonly Reason[], isMatch: (rule: RuleReason) => boolean): RuleReason[] {
  const own = reasons.filter((reason) => reason.type === 'acl_rule' && isMatch(reason)) as RuleReason[]
  if (own.length > 0) return own
  return reasons.flatMap((reason) =>
    reason.type === 'requirement' ? findRules(reason.reasons, isMatch) : [],
  )
}

const lineOf = ({ action, principal, identity, scope, permission, propagate }: AccessRule) =>
  JSON.stringify([action, principal, identity, scope, permission, propagate])

/** Tells whether a resource has a rule. */
export const hasRule = (resource: AccessResource | undefined, rule: AccessRule) =>
  resource?.rules.some((one) => lineOf(one) === lineOf(rule)) === true

function distinct(spans: readonly (Span | undefined)[]): Span[] {
  const found = spans.filter((span) => span !== undefined)
  return found.filter(
    (span, at) => found.findIndex((one) => one.file === span.file && one.line === span.line) === at,
  )
}

const wantedOf = ({ manifest, trees }: CauseContext, key: Key): WantedResource | undefined =>
  manifest.resources.get(trees.manifestKeys.get(key) ?? '')

const spanOf = (context: CauseContext, key: Key, pointer: Pointer) => wantedOf(context, key)?.spanOf(pointer)

/** Finds the position of a rule of a resource in the manifest. */
export function spanOfRule(context: CauseContext, on: Key, rule: AccessRule): Span | undefined {
  const wanted = wantedOf(context, on)
  const idOf = (name: string) => {
    const found = context.principals.find(name)
    return 'name' in found ? (context.principals.ids.get(found.name) ?? found.name) : name
  }
  const at = wanted?.permissions?.rules.findIndex(
    (one) => lineOf({ ...one, principal: idOf(one.principal) }) === lineOf(rule),
  )
  if (at === undefined || at < 0) return wanted?.spanOf('/permissions')
  const base = wanted?.permissions?.owns === 'listed' ? '/permissions/include' : '/permissions'
  return wanted?.spanOf(joinPointer(base, at))
}

/** Finds the block of the nearest resource that the plan creates, moves or changes, from the resource to the root. */
function spanOfNearest(
  context: CauseContext,
  { before: old, after: next }: AffectedResource,
): Span | undefined {
  const { before, after, touched } = context.trees
  for (const [tree, start] of [
    [after, next],
    [before, old],
  ] as const) {
    const connection = start === undefined ? undefined : tree.get(start)?.connection
    const chain = [...chainOf(tree, start), ...chainOf(tree, connection)].filter((key) => touched.has(key))
    for (const key of chain) {
      const span = spanOf(context, key, '')
      if (span !== undefined) return span
    }
  }
  return undefined
}

/** Lists a resource and all above it, from it to the root. */
export function chainOf(tree: AccessTree, start: Key | undefined): Key[] {
  const chain: Key[] = []
  for (let key = start; key !== undefined; key = tree.get(key)?.parent) chain.push(key)
  return chain
}
