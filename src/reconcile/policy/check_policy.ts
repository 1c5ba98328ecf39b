import type { ProblemCode } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import { formatSpan, type Span } from '../../core/span.ts'
import { findWantedBlock, type Manifest } from '../../manifest/manifest.ts'
import type { Plan } from '../model/change.ts'
import type { PolicyRule } from './load_policy.ts'
import type { PolicyValues } from './policy_expression.ts'
import { type PlanFacts, planFacts } from './policy_facts.ts'

/** What the rules are checked against. */
export interface PolicyInput {
  readonly plan: Plan
  readonly manifest: Pick<Manifest, 'resources' | 'catalog' | 'principals'>
}

/** Checks a plan against rules. A rule that cannot be evaluated is an error, whatever its severity. */
export function checkPolicy(rules: readonly PolicyRule[], input: PolicyInput): Issue[] {
  const facts = planFacts(input.plan)
  return rules.flatMap((rule) => checkRule(rule, facts, input))
}

interface Subject {
  readonly values: PolicyValues
  readonly label: string
  readonly span: Span | undefined
}

function checkRule(rule: PolicyRule, facts: PlanFacts, input: PolicyInput): Issue[] {
  const { access } = input.plan
  if (rule.expression.readsAccess && access?.complete !== true) {
    const message = 'this account cannot read all resources, so the changes of access are not known'
    return [issueOf(rule, { code: 'policy/failed', message, span: rule.span })]
  }
  return listSubjects(rule, facts, input).flatMap(({ values, label, span }) => {
    const result = rule.expression.evaluate(values)
    if (result === true) return []
    if (result === false) {
      const message = label === '' ? rule.message : `${rule.message} (${label})`
      return [{ ...issueOf(rule, { code: 'policy/violated', message, span }), severity: rule.severity }]
    }
    const on = label === '' ? '' : ` (${label})`
    const message = `the expression cannot be evaluated${on}: ${result.message}`
    return [issueOf(rule, { code: 'policy/failed', message, span: rule.span })]
  })
}

function listSubjects({ each }: PolicyRule, facts: PlanFacts, { plan, manifest }: PolicyInput): Subject[] {
  if (each === 'change')
    return facts.changes.map((change, at) => ({
      values: { plan: facts, change },
      label: `${change.action} ${change.key}`,
      span: spanOfChange(manifest, plan.changes[at]),
    }))
  if (each === 'access')
    return facts.access.map((access, at) => ({
      values: { plan: facts, access },
      label: `${access.change} of ${access.principals.join(', ')}`,
      span: plan.access?.changes[at]?.causes[0],
    }))
  return [{ values: { plan: facts }, label: '', span: undefined }]
}

function spanOfChange(manifest: PolicyInput['manifest'], change: Plan['changes'][number] | undefined) {
  return change === undefined ? undefined : findWantedBlock(manifest, change)?.spanOf('')
}

function issueOf(
  { name, span: place }: PolicyRule,
  {
    code,
    message,
    span = place,
  }: { readonly code: ProblemCode; readonly message: string; readonly span?: Span | undefined },
): Issue {
  const hint = span === place ? {} : { hint: `rule at ${formatSpan(place)}` }
  return { code, severity: 'error', message: `${name}: ${message}`, span, ...hint }
}
