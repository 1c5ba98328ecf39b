import type { Writable } from 'node:stream'
import { countOf } from '../../core/count.ts'
import type { Apply } from '../../reconcile/drift/applied_state.ts'
import { type FieldDrift, type Origin, origins, type ResourceDrift } from '../../reconcile/drift/drift.ts'
import type { Drift } from '../../reconcile/drift/find_drift.ts'
import { labelOf } from '../../reconcile/model/actual_tree.ts'
import type { DataLoad } from '../../reconcile/model/change.ts'
import { describeEdits } from '../../reconcile/model/data_edits.ts'
import { describeDifference } from '../../transfer/sync/feature_difference.ts'
import { dataFacts, writeEvent } from './events.ts'
import { describeMapSides } from './map_edit.ts'
import { formatStyleEdits } from './style_edit.ts'
import { oneLine, type Paint, plainLine } from './text_format.ts'
import { showValue, showValues } from './value.ts'

const colours = { manifest: 'cyan', server: 'yellow', both: 'red', unknown: 'magenta' } as const

/** Formats differences: a block per resource, then resources without a manager, then the summary. */
export function formatDrift(drift: Drift, manifest: string, paint: Paint): string {
  const blocks = drift.resources.map((one) => formatResource(one, paint))
  const others = drift.unmanaged.map(
    (one) =>
      `${paint('dim', 'unmanaged')} ${plainLine(labelOf(one))}  ${one.cls}  ${plainLine(one.displayName)}`,
  )
  const lines = [...blocks, ...others]
  return [...lines, ...(lines.length > 0 ? [''] : []), formatSummary(drift, manifest)].join('\n')
}

function formatResource({ key, cls, path, fields, ...rest }: ResourceDrift, paint: Paint): string {
  const head = `${paint('bold', oneLine(key))}  ${oneLine(cls)}  ${paint('dim', path.map(oneLine).join(' / '))}`
  const lines = fields.map((field) => formatField(field, rest.existsIn, paint))
  const who = [
    ...(rest.applied === undefined ? [] : [`last apply: ${formatApply(rest.applied)}`]),
    ...(rest.later === undefined
      ? []
      : [`later apply of ${oneLine(rest.later.manifest)}: ${formatApply(rest.later)}`]),
  ]
  return [head, ...lines, ...who.map((line) => paint('dim', line))].join('\n    ')
}

const formatApply = ({ entry, user, began }: Apply) =>
  `${entry}, ${oneLine(user)}, ${began.replace('T', ' ')} UTC`

function formatField(field: FieldDrift, existsIn: ResourceDrift['existsIn'], paint: Paint): string {
  const word = paint(colours[field.origin], field.origin.padEnd(8))
  const kind = kindOf(field)
  const note = kind === field.origin ? '' : paint('dim', `  (${kind})`)
  const styles = formatStyleEdits(field.edit?.style ?? [], paint).map((line) => `          ${line}`)
  return [`${word}  ${describeField(field, existsIn)}${note}`, ...styles].join('\n    ')
}

function describeField(
  { field, origin, edit, data }: FieldDrift,
  existsIn: ResourceDrift['existsIn'],
): string {
  if (existsIn === 'manifest') return origin === 'server' ? 'deleted on the server' : 'new in the manifest'
  if (existsIn === 'server') return 'no longer in the manifest'
  if (data !== undefined) return describeData(data)
  const map = edit === undefined ? undefined : describeMapSides(edit)
  if (map !== undefined) return ['layers', map.item, showSides(map.from, map.to)].filter(Boolean).join('  ')
  if (edit === undefined || edit.secret) return `${oneLine(field)}  (secret)`
  const { from, to, style } = edit
  if (style !== undefined)
    return `${oneLine(field)}  ${style.length === 0 ? 'draws the same, written differently' : 'from the server to the manifest:'}`
  const [server, manifest] =
    from === undefined || to === undefined ? [show(from), show(to)] : showValues(from, to)
  return `${oneLine(field)}  ${showSides(server, manifest)}`
}

const showSides = (server: string, manifest: string) => `server: ${server}, manifest: ${manifest}`

/** Describes data by what is known without the features: their numbers, and the edits since the last load. */
function describeData({ source, before, change, edited }: DataLoad): string {
  const there = [
    ...(typeof before === 'number' ? [countOf(before, 'feature')] : []),
    ...(edited === undefined ? [] : [`edited${oneLine(describeEdits(edited))}`]),
  ]
  const here = change === undefined ? '' : `${countOf(change.after, 'feature')} in `
  const difference = change?.difference === undefined ? '' : ` (${describeDifference(change.difference)})`
  const server = there.length === 0 ? '' : `server: ${there.join(', ')}; manifest: `
  return `data  ${server}${here}${oneLine(source)}${difference}`
}

const show = (value: unknown) => (value === undefined ? 'none' : showValue(value))

function formatSummary({ resources, unmanaged }: Drift, manifest: string): string {
  const counts = countOrigins(resources)
  const words: Readonly<Record<Origin, string>> = {
    manifest: 'changed in the manifest',
    server: 'changed on the server',
    both: 'changed in both',
    unknown: 'of unknown origin',
  }
  const parts = origins.flatMap((origin) =>
    counts[origin] > 0 ? [`${counts[origin]} ${words[origin]}`] : [],
  )
  if (counts.harmless > 0) parts.push(`${counts.harmless} harmless`)
  if (counts.ignored > 0) parts.push(`${counts.ignored} ignored`)
  if (unmanaged.length > 0) parts.push(countOf(unmanaged.length, 'unmanaged resource'))
  return `Drift of ${manifest}: ${parts.length === 0 ? 'none' : parts.join(', ')}.`
}

/** How a difference counts: by its origin, unless it is harmless or ignored. */
type DriftKind = Origin | 'harmless' | 'ignored'

function kindOf({ origin, isIgnored, isHarmless }: FieldDrift): DriftKind {
  if (isIgnored) return 'ignored'
  return isHarmless ? 'harmless' : origin
}

/** Counts the fields by origin; harmless and ignored ones apart. */
export function countOrigins(resources: readonly ResourceDrift[]): Record<DriftKind, number> {
  const counts = { manifest: 0, server: 0, both: 0, unknown: 0, harmless: 0, ignored: 0 }
  for (const field of resources.flatMap(({ fields }) => fields)) counts[kindOf(field)] += 1
  return counts
}

/** Writes differences as events: `drift` per resource, `unmanaged`, and `summary`. */
export function writeDriftEvents(out: Writable, drift: Drift): void {
  for (const { key, cls, path, existsIn, fields, applied, later } of drift.resources)
    writeEvent(out, 'drift', {
      ...{ key, cls, path, exists_in: existsIn, applied, later },
      fields: fields.map(({ field, origin, edit, data, isIgnored, isHarmless }) => ({
        ...{ field, origin, server: edit?.from, manifest: edit?.to, style: edit?.style },
        ...(data === undefined ? {} : { data: dataFacts(data) }),
        ...{ ignored: isIgnored, harmless: isHarmless },
      })),
    })
  for (const { id, keyname, cls, displayName } of drift.unmanaged)
    writeEvent(out, 'unmanaged', { id, keyname, cls, display_name: displayName })
  writeEvent(out, 'summary', {
    ...countOrigins(drift.resources),
    unmanaged: drift.unmanaged.length,
    journal: drift.hasJournal,
  })
}
