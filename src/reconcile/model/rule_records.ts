import type { SetFields } from '../../contract/field_marks.ts'
import { formatRule, identifyLine, nameRule } from './access_rules.ts'
import type { ActualResource } from './actual_tree.ts'
import { shortDigest } from './edit_digest.ts'
import type { Principals } from './principals.ts'

/** Name in field marks of a rule or of a metadata item, which are identified by their digest. */
export function partName(list: string, part: string): string {
  return `${list}/${shortDigest(part)}`
}

/** Name in field marks of an included rule, which stays when its user or group is renamed. */
export function ruleName(line: string, ids: ReadonlyMap<string, number>): string {
  return partName('permissions', identifyLine(line, ids))
}

/** Recorded fields whose rules have their names of now. */
export interface IdentifiedFields {
  readonly fields: SetFields
  /** Whether an earlier version recorded rules with names that users and groups had before the plan. */
  readonly hasFormerNames: boolean
}

/** Replaces the names of rules that earlier versions recorded, with names of users and groups instead of ids. */
export function identifyRules(
  fields: SetFields,
  { rules = [] }: Pick<ActualResource, 'rules'>,
  principals: Principals,
): IdentifiedFields {
  if (!hasRules(fields)) return { fields, hasFormerNames: false }
  const namesIn = (index: Principals) =>
    rules.map((rule) => {
      const line = formatRule(nameRule(rule, principals))
      const there = partName('permissions', formatRule(nameRule(rule, index)))
      return [there, ruleName(line, principals.ids)] as const
    })
  const former = new Map(principals.former === undefined ? [] : namesIn(principals.former))
  const now = new Map(namesIn(principals))
  return {
    fields: new Map([...fields].map(([name, digest]) => [now.get(name) ?? former.get(name) ?? name, digest])),
    hasFormerNames: [...fields.keys()].some((name) => former.has(name) && !now.has(name)),
  }
}

function hasRules(fields: SetFields): boolean {
  for (const name of fields.keys()) if (name.startsWith('permissions/')) return true
  return false
}
