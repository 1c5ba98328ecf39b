import { countOf } from '../../core/count.ts'
import { formatSpan } from '../../core/span.ts'
import type { ExplainedField } from '../../manifest/explain/explain_block.ts'
import type { Origin } from '../../manifest/explain/trace_value.ts'
import { oneLine, type Paint } from './text_format.ts'
import { isLongText, showValue } from './value.ts'

/** What a server has of a field. */
export type ServerValue =
  | { readonly state: 'same' | 'absent' | 'unknown' | 'other' }
  /** `from` is undefined if the server has no value. */
  | { readonly state: 'differs'; readonly from: unknown }

/** A field with its origins and with what the server has. */
export interface Explanation extends ExplainedField {
  readonly key: string
  /** Absent without a server. */
  readonly server?: ServerValue
}

/** Formats a field: its value, then a line for each origin, then what the server has. */
export function formatExplanation({ key, names, server, ...field }: Explanation, paint: Paint): string {
  const name = [key, ...names].map(oneLine).join('.')
  const isOmitted = field.origins.length === 0
  const isUnset = isOmitted && field.value === undefined
  const omitted = isUnset ? 'the manifest does not set it, and it has no default' : 'default of the field'
  const lines = isOmitted ? [omitted] : field.origins.map(formatOrigin)
  const found = server === undefined ? [] : [`server: ${describeServer(server)}`]
  const shown = field.isSecret && !isUnset ? '(secret)' : showLong(field.value, names.at(-1))
  return [
    `${paint('bold', name)}  ${shown}`,
    ...[...lines, ...found].map((line) => `    ${paint('dim', line)}`),
  ].join('\n')
}

function showLong(value: unknown, name: string | undefined): string {
  if (!isLongText(value) || !value.trim().includes('\n')) return showValue(value, name)
  return countOf(value.trim().split('\n').length, 'line')
}

function formatOrigin({ kind, span, text = '' }: Origin): string {
  const place = span === undefined ? '' : formatSpan(span)
  const words: Readonly<Record<Origin['kind'], string>> = {
    written: place,
    anchor: place === '' ? `through the alias ${text}` : `through the alias at ${place}`,
    merge: `through a merge key at ${place}`,
    variable: `environment variable ${text}`,
    default: `default of the expression: the environment variable ${text} is not set`,
    file: `file ${text}`,
    fragment: `fragment ${text}, used at ${place}`,
    parameter: `parameter ${text}, given at ${place}`,
    'parameter-default': `default of the parameter ${text}`,
  }
  return oneLine(words[kind])
}

function describeServer(server: ServerValue): string {
  if (server.state === 'differs') return showValue(server.from)
  return {
    same: 'the same',
    absent: 'does not exist yet',
    unknown: 'not readable by this account',
    other: 'differs within',
  }[server.state]
}
