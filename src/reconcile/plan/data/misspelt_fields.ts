import type { Issue } from '../../../core/issue.ts'
import { joinPointer } from '../../../core/pointer.ts'
import { isProblem } from '../../../core/problem.ts'
import { findHint } from '../../../core/suggest.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { LoadReading } from '../../model/plan_input.ts'
import { issueAt } from '../issue_at.ts'

/** Warns of fields that would be empty, because the source has values in a field with a similar name that the block does not list. */
export function reportMisspelt(wanted: WantedResource, reading: LoadReading | undefined): Issue[] {
  if (!reading || isProblem(reading) || reading.filledFields === undefined) return []
  const { filledFields } = reading
  const fields = (wanted.members.feature_layer?.fields ?? []) as readonly { readonly keyname: string }[]
  const listed = new Set(fields.map(({ keyname }) => keyname))
  const unlisted = filledFields.filter((name) => !listed.has(name))
  return fields.flatMap(({ keyname }, index): Issue[] => {
    const hint = filledFields.includes(keyname) ? undefined : hintFor(wanted, keyname, unlisted)
    if (hint === undefined) return []
    const pointer = joinPointer('/feature_layer/fields', index, 'keyname')
    const message = `the source of "${wanted.key}" has no values for the field "${keyname}", which would be empty`
    return [{ ...issueAt(wanted, 'plan/field-empty', message, pointer), severity: 'warning', hint }]
  })
}

function hintFor({ formerFields }: WantedResource, keyname: string, unlisted: readonly string[]) {
  const was = formerFields?.get(keyname)
  if (was === undefined || !unlisted.includes(was)) return findHint(keyname, unlisted)
  return `rename "${was}" in the source, too`
}
