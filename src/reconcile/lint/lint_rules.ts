import type { Key } from '../../access/access_tree.ts'
import { createEvaluator, type Evaluator } from '../../access/evaluate_access.ts'
import { explainPermission, type PermissionQuery } from '../../access/explain_access.ts'
import { hasPermission, maskOf, namesOf } from '../../access/permission_mask.ts'
import { type PermissionName, permissionNames } from '../../contract/permissions.ts'
import { type ProblemCode, problems } from '../../contract/problems.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import { countOf, joinFirst } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { LintResource, LintSubject, LintTree } from './lint_tree.ts'

/** Lists what is probably wrong in a tree, although it is valid. All findings are warnings. */
export function lintTree(tree: LintTree): Issue[] {
  const evaluators = tree.subjects.map(({ subject }) => createEvaluator(tree.access, subject))
  return [
    ...(tree.hasRules ? [...findUnseenLayers(tree, evaluators), ...findPublicWrites(tree)] : []),
    ...(tree.hasRules ? findGuestsOnly(tree) : []),
    ...(tree.hasRules ? findUnreadableLayers(tree, evaluators) : []),
    ...findUnusedStyles(tree),
    ...findSimilarNames(tree),
  ]
}

const layerClasses: ReadonlySet<string> = new Set([
  'vector_layer',
  'geodb_layer',
  'raster_layer',
  'wmsclient_layer',
])

function findUnseenLayers(tree: LintTree, evaluators: readonly Evaluator[]): Issue[] {
  return reported(tree).flatMap((resource) => {
    const { key, cls, isKnown, label } = resource
    if (!layerClasses.has(cls) || !isKnown) return []
    if (evaluators.some((evaluate) => hasPermission(evaluate(key), 'data.read'))) return []
    return [
      issueOf(
        resource,
        'lint/unseen-layer',
        `no rule lets anyone but administrators read the layer "${label}"`,
      ),
    ]
  })
}

const reported = ({ resources }: LintTree) => [...resources.values()].filter(({ isReported }) => isReported)

/** All permissions except those to read, display and connect. */
const writing = maskOf(permissionNames.filter((name) => !/\.(?:read|display|connect)$/.test(name)))

/** Finds what guests can write, one finding for each rule that allows it. */
function findPublicWrites(tree: LintTree): Issue[] {
  const writes = (guests: number, { isReported }: LintResource) => (isReported ? guests & writing : 0)
  return findGuestRules(tree, writes).map(({ resource, pointer, count, permission }) =>
    issueOf(
      resource,
      'lint/public-write',
      `the rules of "${resource.label}" allow guests ${permission} on ${countOf(count, 'resource')}`,
      pointer,
    ),
  )
}

/** Finds what guests may read and signed-in users may not, one finding for each rule that allows it. */
function findGuestsOnly(tree: LintTree): Issue[] {
  const [, signedIn] = tree.subjects
  if (signedIn === undefined) return []
  const evaluate = createEvaluator(tree.access, signedIn.subject)
  const excess = (guests: number, { key, isKnown, isReported }: LintResource) =>
    isKnown && isReported ? guests & ~writing & ~evaluate(key) : 0
  return findGuestRules(tree, excess).map(({ resource, pointer, count, permission }) =>
    issueOf(
      resource,
      'lint/guests-only',
      `the rules of "${resource.label}" allow guests ${permission} on ${countOf(count, 'resource')}, and signed-in users not`,
      pointer,
    ),
  )
}

/** A rule that gives guests permissions. */
interface GuestRule {
  readonly resource: LintResource
  readonly pointer: Pointer
  /** Number of resources on which guests have a permission by the rule. */
  count: number
  /** The first of these permissions. */
  readonly permission: string
}

/** Finds the rules that give guests the permissions of a mask, which `select` returns for each resource. */
function findGuestRules(
  tree: LintTree,
  select: (guests: number, resource: LintResource) => number,
): GuestRule[] {
  const [guests] = tree.subjects
  if (guests === undefined) return []
  const evaluate = createEvaluator(tree.access, guests.subject)
  const found = new Map<string, GuestRule>()
  for (const one of tree.resources.values()) {
    const { key } = one
    const [permission] = namesOf(select(evaluate(key), one))
    if (permission === undefined) continue
    const cause = explainPermission(tree.access, guests.subject, { key, permission }).reasons.find(
      (reason) => reason.type === 'acl_rule' && reason.result,
    )
    const on: Key = cause?.type === 'acl_rule' ? cause.resource : key
    const at = cause?.type === 'acl_rule' ? (tree.access.get(on)?.rules.indexOf(cause.rule) ?? -1) : -1
    const resource = tree.resources.get(on)
    const id = JSON.stringify([on, at])
    const same = found.get(id)
    if (same !== undefined) same.count += 1
    else if (resource !== undefined)
      found.set(id, { resource, pointer: pointerOf(resource, at), count: 1, permission })
  }
  return [...found.values()]
}

const pointerOf = ({ rulesPointer }: LintResource, at: number): Pointer =>
  at < 0 ? rulesPointer : joinPointer(rulesPointer, at)

/** Finds resources of web maps that users who may display the map cannot read. */
function findUnreadableLayers(tree: LintTree, evaluators: readonly Evaluator[]): Issue[] {
  return reported(tree).flatMap((map) => {
    if (map.cls !== 'webmap' || !map.isKnown) return []
    return map.references.flatMap(({ pointer, target }) => {
      const shown = target === undefined ? undefined : tree.resources.get(target)
      if (shown?.isKnown !== true) return []
      const permission = needed(shown.cls)
      const without = tree.subjects.filter((_, at) => {
        const evaluate = evaluators[at] as Evaluator
        return (
          hasPermission(evaluate(map.key), 'webmap.display') &&
          !hasPermission(evaluate(shown.key), permission)
        )
      })
      const asked = { key: shown.key, permission }
      return groupByMissing(tree, without, asked).map(({ missing, subjects }) => {
        const on = tree.resources.get(missing.key)?.label
        const reason = missing.key === shown.key ? '' : `, which ${permission} on "${shown.label}" requires`
        const message = `the web map "${map.label}" shows "${shown.label}", but ${nameAll(subjects)} can display the map without ${missing.permission} on "${on}"${reason}`
        const hint = `Allow ${missing.permission} on "${on}", or remove the layer from the map.`
        return { ...issueOf(map, 'lint/unreadable-layer', message, pointer), hint }
      })
    })
  })
}

/** Groups subjects by the permission that they lack. */
function groupByMissing(tree: LintTree, subjects: readonly LintSubject[], asked: PermissionQuery) {
  const groups = new Map<string, { missing: PermissionQuery; subjects: LintSubject[] }>()
  for (const one of subjects) {
    const missing = findMissing(tree, one, asked)
    const name = JSON.stringify([missing.key, missing.permission])
    const group = groups.get(name) ?? { missing, subjects: [] }
    group.subjects.push(one)
    groups.set(name, group)
  }
  return [...groups.values()]
}

/** Finds the permission that a subject lacks so that it has not the one asked for: this one, or one that it requires. */
function findMissing(tree: LintTree, { subject }: LintSubject, asked: PermissionQuery): PermissionQuery {
  let missing = asked
  let { reasons } = explainPermission(tree.access, subject, asked)
  for (;;) {
    const unmet = reasons.find(
      (reason) =>
        reason.type === 'requirement' && !reason.satisfied && tree.resources.has(reason.resource ?? ''),
    )
    if (unmet?.type !== 'requirement' || unmet.resource === undefined) return missing
    missing = { key: unmet.resource, permission: unmet.permission }
    reasons = unmet.reasons
  }
}

const needed = (cls: string): PermissionName =>
  isCls(cls) && descriptorOf(cls).scopes.some((scope) => scope === 'data') ? 'data.read' : 'resource.read'

const nameAll = (subjects: readonly LintSubject[]) => joinFirst(subjects.map(({ name }) => name))

const styleClasses: ReadonlySet<string> = new Set(['mapsrv_style', 'desk_vector_style', 'raster_style'])

/** Finds styles that nothing uses, if there is a web map or service that could. */
function findUnusedStyles(tree: LintTree): Issue[] {
  const used = new Set<Key>()
  let hasUsers = tree.isPart === true
  for (const { cls, references } of tree.resources.values()) {
    if (cls === 'webmap' || cls === 'wmsserver_service') hasUsers = true
    for (const { target } of references) if (target !== undefined) used.add(target)
  }
  if (!hasUsers) return []
  return reported(tree)
    .filter(({ cls, key }) => styleClasses.has(cls) && !used.has(key))
    .map((style) =>
      issueOf(style, 'lint/unused-style', `no web map or service uses the style "${style.label}"`),
    )
}

function findSimilarNames(tree: LintTree): Issue[] {
  const first = new Map<string, LintResource>()
  return [...tree.resources.values()].flatMap((resource) => {
    const { parent, displayName, isReported } = resource
    if (parent === undefined) return []
    const place = JSON.stringify([parent, displayName.normalize('NFKC').trim().toLowerCase()])
    const other = first.get(place)
    if (other === undefined) first.set(place, resource)
    if (other === undefined || !isReported || other.displayName === displayName) return []
    const message = `the display names of "${other.label}" and "${resource.label}", "${other.displayName}" and "${displayName}", differ only by case`
    return [issueOf(resource, 'lint/similar-names', message, '/display_name')]
  })
}

function issueOf(
  { spanOf }: LintResource,
  code: ProblemCode,
  ...[message, pointer = '']: [message: string, pointer?: Pointer]
): Issue {
  const issue = { code, severity: 'warning', message, pointer, hint: problems[code].advice } as const
  return spanOf === undefined ? issue : { ...issue, span: spanOf(pointer) }
}
