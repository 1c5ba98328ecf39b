import type { AccessRule, AccessTree, Key } from '../../access/access_tree.ts'
import { createEvaluator, type Evaluator } from '../../access/evaluate_access.ts'
import { explainPermission } from '../../access/explain_access.ts'
import { permissionBit } from '../../access/permission_mask.ts'
import type { AccessTarget, BlockedRules } from '../model/access_change.ts'
import type { ActualTree } from '../model/actual_tree.ts'
import type { SubjectGroup } from './access_subjects.ts'
import { type CauseContext, chainOf, hasRule, spanOfRule } from './find_causes.ts'

/** What the search needs to know. */
export interface BlockContext extends CauseContext {
  readonly subjects: readonly SubjectGroup[]
  readonly actual: Pick<ActualTree, 'byId'>
  describe(key: Key): AccessTarget
}

/** A rule that the plan adds to a resource. */
interface AddedRule {
  readonly on: Key
  readonly rule: AccessRule
}

const reading = permissionBit('resource.read')

/**
 * Finds rules that a plan adds and that give nobody anything, since those for whom they are cannot read a resource above: without
 * a word, they look as if they worked. What another rule denies is denied on purpose.
 */
export function findBlockedRules(context: BlockContext): BlockedRules[] {
  const found = new Map<string, BlockedRules>()
  const blockerOf = createBlockerFinder(context)
  for (const { on, rule } of listAdded(context)) {
    const principal = nameOf(rule.principal, context)
    const blocker = blockerOf(on, rule)
    if (principal === undefined || blocker === undefined) continue
    const key = JSON.stringify([principal, blocker])
    const before = found.get(key)
    const span = spanOfRule(context, on, rule)
    const resource = context.describe(on)
    found.set(key, {
      principal,
      unreadable: context.describe(blocker),
      resources: before?.resources.some((one) => one.key === resource.key)
        ? before.resources
        : [...(before?.resources ?? []), resource],
      causes: [...(before?.causes ?? []), ...(span === undefined ? [] : [span])],
    })
  }
  return [...found.values()]
}

function listAdded({ trees: { before, after, manifestKeys } }: BlockContext): AddedRule[] {
  return [...manifestKeys.keys()].flatMap((on) =>
    (after.get(on)?.rules ?? [])
      .filter((rule) => rule.action === 'allow' && !hasRule(before.get(on), rule))
      .map((rule) => ({ on, rule })),
  )
}

function nameOf(principal: Key, { principals }: BlockContext): string | undefined {
  return typeof principal === 'number' ? principals.nameOf(principal) : principal
}

/** Returns a function that finds the uppermost resource that hides a resource from all for whom a rule is. */
function createBlockerFinder({ trees: { after }, subjects, actual }: BlockContext) {
  const evaluators = new Map<SubjectGroup, Evaluator>()
  const evaluatorOf = (one: SubjectGroup) => {
    const evaluate = evaluators.get(one) ?? createEvaluator(after, one.subject)
    evaluators.set(one, evaluate)
    return evaluate
  }
  const canRead = (one: SubjectGroup, key: Key) => (evaluatorOf(one)(key) & reading) !== 0
  return (on: Key, rule: AccessRule): Key | undefined => {
    const concerned = subjects.filter((one) => isFor(rule, one))
    const [first] = concerned
    if (first === undefined || concerned.some((one) => canRead(one, on))) return undefined
    const top = chainOf(after, on).findLast((key) => !canRead(first, key))
    if (top === undefined || top === on || isDenied(after, first, top)) return undefined
    const isKnown = typeof top === 'string' || actual.byId.get(top)?.rules !== undefined
    return isKnown ? top : undefined
  }
}

/** Administrators need no rules. */
function isFor({ principal }: AccessRule, { subject, isAdministrator }: SubjectGroup): boolean {
  return !isAdministrator && subject.principals.has(principal)
}

function isDenied(tree: AccessTree, { subject }: SubjectGroup, key: Key): boolean {
  const { reasons } = explainPermission(tree, subject, { key, permission: 'resource.read' })
  return reasons.some((reason) => reason.type === 'acl_rule' && !reason.result)
}
