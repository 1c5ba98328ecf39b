import { countOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import { joinPointer, type Pointer } from '../../../core/pointer.ts'
import { isProblem } from '../../../core/problem.ts'
import { findHint } from '../../../core/suggest.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { DataChange } from '../../../transfer/data_loss.ts'
import type { UnconvertibleField } from '../../../transfer/unconvertible_values.ts'
import type { LoadReading } from '../../model/plan_input.ts'
import { issueAt } from '../issue_at.ts'

/** Checks the fields that a block lists against the source of its layer; finds nothing if it was not read. */
export function checkDeclaredFields(wanted: WantedResource, reading: LoadReading | undefined): Issue[] {
  if (!reading || isProblem(reading)) return []
  const { unconvertible = [] } = reading
  return [
    ...reportMisspelt(wanted, reading),
    ...unconvertible.map((field) => reportUnconvertible(wanted, field)),
  ]
}

/** Reports values of the source that cannot be converted to the datatype that the block declares. */
export function reportUnconvertible(wanted: WantedResource, field: UnconvertibleField): Issue {
  const { keyname, from, to, count, first } = field
  const pointer = datatypePointer(wanted, keyname) ?? '/data'
  const named = first.map(({ feature, value }) => `feature ${feature} has ${value}`)
  const more = count > first.length ? ', …' : ''
  const message = `${countOf(count, 'value')} of the field "${keyname}" in the source of "${wanted.key}" cannot be converted from ${from} to ${to}: ${named.join(', ')}${more}`
  return issueAt(wanted, 'plan/unconvertible', message, pointer)
}

/** Returns the pointer of the datatype of a field in its block; undefined if the block does not list the field. */
export function datatypePointer(wanted: WantedResource, keyname: string): Pointer | undefined {
  const index = listFields(wanted).findIndex((one) => one.keyname === keyname)
  return index < 0 ? undefined : joinPointer('/feature_layer/fields', index, 'datatype')
}

/** Warns of fields that would be empty, because the source has values in a field with a similar name that the block does not list. */
function reportMisspelt(wanted: WantedResource, { filledFields }: DataChange): Issue[] {
  if (filledFields === undefined) return []
  const fields = listFields(wanted)
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

function listFields({ members }: WantedResource): readonly { readonly keyname: string }[] {
  return (members.feature_layer?.fields ?? []) as readonly { readonly keyname: string }[]
}

function hintFor({ formerFields }: WantedResource, keyname: string, unlisted: readonly string[]) {
  const was = formerFields?.get(keyname)
  if (was === undefined || !unlisted.includes(was)) return findHint(keyname, unlisted)
  return `rename "${was}" in the source, too`
}
