import { type Action, actions } from '../../contract/bodies/journal.ts'
import { catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { countOf, joinFirst, joinWords, pluralOf, showNumber } from '../../core/count.ts'
import { listExtensionCounts } from '../../core/extension_counts.ts'
import { splitPointer } from '../../core/pointer.ts'
import {
  type Change,
  countActions,
  type DataLoad,
  type Edit,
  isRecordOnly,
  type Plan,
  type RecordChange,
  type UnknownResource,
} from '../../reconcile/model/change.ts'
import { describeEdits } from '../../reconcile/model/data_edits.ts'
import { featurePartOf } from '../../reconcile/model/edit_digest.ts'
import { renamedFieldOf } from '../../reconcile/model/layer_fields.ts'
import { describeDataLoss } from '../../transfer/data_loss.ts'
import {
  describeDifference,
  type FeatureDifference,
  type FeatureExample,
} from '../../transfer/sync/feature_difference.ts'
import { formatAccess } from './access.ts'
import { formatFiles, splitFiles } from './file_edits.ts'
import { countKinds, foldChanges, formatFold } from './fold.ts'
import { formatBad } from './load.ts'
import { describeMapEdit, type MapEditText } from './map_edit.ts'
import { formatStyleEdits } from './style_edit.ts'
import { formatTakes } from './taken.ts'
import { oneLine, type Paint, showBytes, withoutColours } from './text_format.ts'
import { compareLines, isLongText, shorten, showPart, showValue, showValues } from './value.ts'

/** Sign and colour of each action in plans. */
export const signs: Readonly<Record<Action, readonly [sign: string, colour: Parameters<Paint>[0]]>> = {
  create: ['+', 'green'],
  adopt: ['=', 'cyan'],
  update: ['~', 'yellow'],
  move: ['>', 'cyan'],
  replace: ['-/+', 'magenta'],
  delete: ['-', 'red'],
}

const meanings: Readonly<Record<Action, string>> = {
  create: 'created',
  adopt: 'recorded as managed or partly set by this manifest, and otherwise unchanged',
  update: 'changed in place',
  move: 'moved to another parent, possibly with other changes',
  replace: 'deleted and created again',
  delete: 'deleted',
}

/** Explains the marks of resources in a plan, for the help of commands. */
export function describeMarks(): string {
  const marks = actions.map((action) => `  ${signs[action][0].padEnd(4)} ${meanings[action]}`)
  const unknown = `  ${'?'.padEnd(4)} not readable by this account, or only in part; not changed`
  return ['Marks of resources in the plan:', ...marks, unknown].join('\n')
}

/** Formats a plan: a block per change, in the order of the tree, the changes of access, then the summary. Folds large plans. */
export function formatPlan(plan: Plan, paint: Paint): string {
  return [
    ...formatChanges(plan, paint),
    ...formatAccess(plan.access, paint),
    ...countKinds(plan.changes),
    formatSummary(plan),
    ...formatUncompared(plan),
  ].join('\n')
}

/** Tells which secrets are not compared, and how to send them again; empty if there are none. */
export function formatUncompared({ uncompared = [] }: Plan): string[] {
  const keys = [...new Set(uncompared.map(({ key }) => oneLine(key)))]
  if (keys.length === 0) return []
  const shown = keys.slice(0, maxNames)
  const secrets = uncompared.length === 1 ? 'The secret' : 'Secrets'
  const are = uncompared.length === 1 ? 'is' : 'are'
  return [
    `${secrets} of ${joinFirst(keys, maxNames)} ${are} not compared, since servers do not return secrets. After a change: --send-secrets ${shown.join(',')}.`,
  ]
}

/** Formats the changes of a plan: a block each, and an empty line if there are any. */
export function formatChanges({ changes, unknown }: Plan, paint: Paint): string[] {
  const blocks = foldChanges(changes).map((one) =>
    'change' in one ? formatChange(one.change, paint) : paint('dim', formatFold(one)),
  )
  const records = unknown.filter(isRecord)
  for (const one of unknown) if (!isRecord(one)) blocks.push(formatUnknown(one, paint))
  blocks.push(...formatUnknownRecords(records, paint))
  return blocks.length > 0 ? [...blocks, ''] : []
}

/** Formats the summary of a plan: `Plan for city: 3 to create, 1 to delete, 12 unchanged.` */
export function formatSummary({ changes, unchanged, unknown, manifest, issues, only = [] }: Plan): string {
  const recorded = changes.filter(isRecordOnly).length
  const { create, adopt, ...counts } = countActions(changes)
  const verbs = { create, adopt: adopt - recorded, record: recorded, ...counts }
  const parts = Object.entries(verbs).flatMap(([verb, count]) =>
    count > 0 ? [`${showNumber(count)} to ${verb}`] : [],
  )
  if (unknown.length > 0) parts.push(`${showNumber(unknown.length)} unknown`)
  if (parts.length === 0) parts.push('0 changes')
  const part = only.length === 0 ? '' : `, only ${only.map(oneLine).join(', ')}`
  const sum = `Plan for ${manifest}${part}: ${[...parts, `${showNumber(unchanged)} unchanged`].join(', ')}.`
  const errors = issues.filter(({ severity }) => severity === 'error').length
  return errors === 0 ? sum : `${sum} It cannot be applied: ${countOf(errors, 'error')}.`
}

function formatChange(change: Change, paint: Paint): string {
  const [sign, colour] = signs[change.action]
  const head = `${paint(colour, sign.padStart(3))} ${paint('bold', oneLine(change.key))}  ${oneLine(change.cls)}  ${paint('dim', change.path.map(oneLine).join(' / '))}`
  return [head, ...formatDetails(change, paint).map((line) => `      ${line}`)].join('\n')
}

function formatUnknown({ key, cls, path, reason }: UnknownResource, paint: Paint): string {
  const head = `${paint('magenta', '  ?')} ${paint('bold', key)}  ${cls}  ${paint('dim', path.map(oneLine).join(' / '))}`
  return `${head}\n      ${paint('magenta', reason)}`
}

/** Records are unknown together, for one reason. */
function formatUnknownRecords(records: readonly UnknownResource[], paint: Paint): string[] {
  const [first] = records
  if (first === undefined) return []
  const head = `${paint('magenta', '  ?')} ${paint('bold', countOf(records.length, 'record'))} of the catalog`
  return [`${head}\n      ${paint('magenta', first.reason)}`]
}

const isRecord = ({ cls }: UnknownResource) => catalogKinds.some((kind) => kind === cls)

/** Maximum number of feature descriptions that a plan lists for a layer. */
const maxDescriptions = 20

/** Formats what a change changes, a line each. */
export function formatDetails(change: Change, paint: Paint): string[] {
  const [files, rest] = splitFiles(change.edits)
  const hidden = new Set(rest.filter((edit) => featurePartOf(edit) === 'descriptions').slice(maxDescriptions))
  const edits = rest.filter((edit) => !hidden.has(edit))
  const lines = edits.flatMap((edit) => formatEdit(edit, change.action, paint))
  if (hidden.size > 0) lines.push(`… and ${countOf(hidden.size, 'feature description')} more`)
  lines.push(...formatFiles(files, paint))
  if (change.adopts) lines.unshift(paint('cyan', 'managed by this manifest from now on'))
  if (change.records !== undefined && edits.length === 0)
    lines.push(...formatRecords(change.records).map((line) => paint('cyan', line)))
  if (change.marksSource !== undefined)
    lines.push(
      paint('cyan', `data are those of ${oneLine(change.marksSource)}, and marked as loaded from it`),
    )
  if (change.data !== undefined) lines.push(...formatData(change.data, paint))
  if (change.restores !== undefined) lines.push(...formatRestored(change.restores, paint))
  return [...lines, ...formatTakes(change, paint)]
}

type Restored = NonNullable<Change['restores']>

function formatRestored({ features, lost, returns, deletes }: Restored, paint: Paint): string[] {
  const what = `${countOf(features, 'feature')} that the server kept`
  const all = lost.length === 0 ? what : `${what}, with ${lost.join(' and ')}`
  const [back, gone] = [describeExtensions(returns), describeExtensions(deletes)]
  return [
    paint('green', `data  restores ${all}`),
    ...(back === '' ? [] : [paint('green', `features  + ${back}`)]),
    ...(gone === '' ? [] : [paint('red', `features  - ${gone}`)]),
  ]
}

/** Describes numbers of what features have: `2 attachments, 1 description`. */
function describeExtensions(counts: Restored['returns']): string {
  return counts === undefined ? '' : listExtensionCounts(counts).join(', ')
}

const reasons: Readonly<Record<DataLoad['reason'], string>> = {
  new: '',
  'source changed': ': the source has changed',
  'data changed on the server': '',
  'fields added': ': fields added',
  requested: ': --overwrite-data',
}

const showReason = ({ reason, isSourceChanged }: DataLoad) =>
  isSourceChanged ? `${reasons['source changed']}${reasons[reason].replace(':', ',')}` : reasons[reason]

function formatData(data: DataLoad, paint: Paint): string[] {
  const { source, sizeBytes, reason, before, change } = data
  if (data.sync !== undefined) return formatSync(data, paint)
  const verb = reason === 'new' || before === 0 ? 'is loaded' : `replaces ${describeReplaced(data)}`
  const lines = [
    `data  ${source} (${showBytes(sizeBytes)}) ${verb}${showReason(data)}${describeNew(data)}`,
    ...formatNotSynced(data),
    ...formatListed(data),
    ...formatSkipped(data),
  ]
  const lost = change === undefined ? '' : describeDataLoss(change)
  if (lost !== '') lines.push(paint('red', `loses data: ${lost}`))
  return [...lines, ...formatEdited(data, paint)]
}

/** Maximum number of names in a line. */
const maxNames = 20

/** Describes the source of a new layer: `: 2 features, fields name, lanes`. */
function describeNew({ reason, change }: DataLoad): string {
  if (reason !== 'new' || change?.sourceFields === undefined) return ''
  const names = change.sourceFields.map(({ keyname }) => oneLine(keyname))
  const more = names.length > maxNames ? ', …' : ''
  const fields = `${names.length === 1 ? 'field' : 'fields'} ${names.slice(0, maxNames).join(', ')}${more}`
  return `: ${countOf(change.after, 'feature')}, ${names.length === 0 ? 'no fields' : fields}`
}

/** Tells why all features are replaced, although the manifest chooses a synchronization. */
function formatNotSynced({ notSynced = [] }: DataLoad): string[] {
  if (notSynced.length === 0) return []
  const fields = `${pluralOf('field', notSynced.length)} ${joinWords(notSynced.map(oneLine))}`
  return [
    `replaces instead of synchronizing, because the datatype of the ${fields} changes: features get new ids`,
  ]
}

/** Tells which fields of the source the list in the manifest leaves out, and which of the list the source does not have. */
function formatListed({ change }: DataLoad): string[] {
  const { leftOut = [], lacking = [] } = change?.listedFields ?? {}
  const name = (keynames: readonly string[]) => {
    const more = keynames.length > maxNames ? ', …' : ''
    return `${pluralOf('field', keynames.length)} ${keynames.slice(0, maxNames).map(oneLine).join(', ')}${more}`
  }
  return [
    ...(leftOut.length === 0
      ? []
      : [`does not load the ${name(leftOut)}: not listed in feature_layer.fields`]),
    ...(lacking.length === 0 ? [] : [`loads no values into the ${name(lacking)}: not in the source`]),
  ]
}

/** Tells which features of the source are invalid, so that the load skips them. */
function formatSkipped({ change }: DataLoad): string[] {
  const { skipped } = change ?? {}
  if (skipped === undefined) return []
  const features = formatBad(skipped, maxSkipped).map((line) => `  ${oneLine(line)}`)
  return [`skips ${countOf(skipped.bad_count, 'invalid feature')}:`, ...features]
}

/** Maximum number of skipped features in a plan, per source. */
const maxSkipped = 3

/** A capture has the number of features, but not the features. */
function describeCounts(change: DataLoad['change']): string {
  return change === undefined
    ? 'features not compared'
    : `${change.before} → ${countOf(change.after, 'feature')}, not compared`
}

/** Formats a load that changes only the features that differ: counts, then the first features. */
function formatSync(data: DataLoad, paint: Paint): string[] {
  const { source, sizeBytes, change } = data
  const { difference } = change ?? {}
  const what = difference === undefined ? describeCounts(change) : describeDifference(difference)
  const lost = change === undefined ? '' : describeDataLoss(change)
  return [
    `data  ${source} (${showBytes(sizeBytes)}) synchronizes: ${what}${showReason(data)}`,
    ...formatListed(data),
    ...formatSkipped(data),
    ...(difference?.examples ?? []).map((example) => formatExample(example, paint)),
    ...formatMore(difference),
    ...(lost === '' ? [] : [paint('red', `loses data: ${lost}`)]),
    ...formatEdited(data, paint),
  ]
}

const exampleSigns = { added: ['+', 'green'], changed: ['~', 'yellow'], removed: ['-', 'red'] } as const

function formatExample({ kind, key, edits, movesGeometry }: FeatureExample, paint: Paint): string {
  const [sign, colour] = exampleSigns[kind]
  const changes = edits.map(({ keyname, from, to }) => {
    const [before, after] = showValues(from, to)
    return `${keyname} ${before} → ${after}`
  })
  if (movesGeometry) changes.push('geometry')
  return ['   ', paint(colour, sign), key.map((one) => showValue(one)).join(', '), changes.join(', ')]
    .join(' ')
    .trimEnd()
}

function formatMore(difference: FeatureDifference | undefined): string[] {
  if (difference === undefined) return []
  const { added, changed, removed, examples } = difference
  const more = added + changed + removed - examples.length
  return more > 0 ? [`    … and ${countOf(more, 'feature')} more`] : []
}

function formatEdited({ edited }: DataLoad, paint: Paint): string[] {
  if (edited === undefined) return []
  return [paint('red', `overwrites data edited on the server${oneLine(describeEdits(edited))}`)]
}

function describeReplaced({ before, change }: DataLoad): string {
  if (before === undefined) return 'the data'
  if (before === null) return 'features that cannot be counted'
  const count = countOf(before, 'feature')
  return change === undefined ? count : `${count} with ${showNumber(change.after)}`
}

function formatEdit(edit: Edit, action: Action, paint: Paint): string[] {
  const name = splitPointer(edit.pointer).map(showPart).join('.')
  const loss = formatLoss(edit, paint)
  if (edit.secret) return [`${name}  (secret)${edit.to === null ? ' → null' : ''}`]
  if (edit.released) return [formatReleased(name, edit)]
  const mapEdit = action === 'create' || action === 'replace' ? undefined : describeMapEdit(edit)
  if (mapEdit !== undefined) return [formatMapEdit(mapEdit, paint)]
  if (name === 'permissions') return [formatRuleEdit(edit, paint)]
  if (action === 'create' || action === 'replace') return formatNew(name, edit.to)
  const field = renamedFieldOf(edit)
  if (field !== undefined)
    return [`feature_layer.fields.${oneLine(field)}  renamed from ${showValue(edit.from)}`]
  if (edit.style !== undefined) return formatStyle(name, edit, paint)
  if (isLongText(edit.from) && isLongText(edit.to)) return [name, ...formatLines(edit.from, edit.to, paint)]
  if (edit.from === undefined) return [`${name}  ${paint('green', '+')} ${showValue(edit.to)}`]
  if (edit.to === undefined) return [`${name}  ${paint('red', '-')} ${showValue(edit.from)}${loss}`]
  const [from, to] = showValues(edit.from, edit.to)
  const why = edit.reason === undefined ? '' : `  (${edit.reason})`
  return [`${name}  ${from} → ${to}${why}${loss}`]
}

const formatReleased = (name: string, { stays }: Edit) =>
  `${name}  no longer set by this manifest; the value stays${stays === undefined ? '' : `: ${stays}`}`

/** Formats fields whose values stay, and which the manifest sets from now on, or no longer. */
function formatRecords({ gained, lost, key, renamed }: RecordChange): string[] {
  return [
    ...(key === undefined ? [] : [keyRecords[key]]),
    ...(renamed ? ['refers to renamed keys; records its fields with the new ones'] : []),
    ...(gained.length === 0
      ? []
      : [`records that this manifest sets ${formatNames(gained)}; the values stay`]),
    ...(lost.length === 0
      ? []
      : [`records that this manifest no longer sets ${formatNames(lost)}; the values stay`]),
  ]
}

const keyRecords: Readonly<Record<NonNullable<RecordChange['key']>, string>> = {
  written: 'records the key, so that the rename is not made again',
  removed: 'no longer records the former key; the key stays',
}

/** Rules and metadata are recorded by digests, which say nothing. */
function formatNames(names: readonly string[]): string {
  return [...new Set(names.map((name) => name.replace(/\/.*/, '')))].join(', ')
}

function formatLoss({ pointer, loses, unconvertible }: Edit, paint: Paint): string {
  if (unconvertible !== undefined)
    return `  ${paint('red', `(${countOf(unconvertible, 'value')} cannot be converted)`)}`
  // Both texts are shown.
  if (featurePartOf({ pointer }) !== undefined) return ''
  return loses === undefined ? '' : `  ${paint('red', `(${loses})`)}`
}

// A new rule has no `from`, a removed rule has no `to`.
function formatRuleEdit({ from, to }: Edit, paint: Paint): string {
  const sign = from === undefined ? paint('green', '+') : paint('red', '-')
  return `permissions  ${sign} ${oneLine(String(to ?? from))}`
}

const mapColours = { '+': 'green', '-': 'red', '>': 'cyan', '~': 'yellow' } as const

function formatMapEdit({ sign, item, text }: MapEditText, paint: Paint): string {
  return ['layers', paint(mapColours[sign], sign), item, text].filter((part) => part !== '').join('  ')
}

/** Maximum number of lines that a plan shows of a new text. */
const maxTextLines = 6

/** Formats a value of a new resource; texts of several lines by line. */
function formatNew(name: string, value: unknown): string[] {
  if (typeof value !== 'string' || !value.trim().includes('\n'))
    return [`${name}  ${showValue(value, name.split('.').at(-1))}`]
  const lines = value.trim().split('\n')
  const shown = lines.length > maxTextLines ? lines.slice(0, maxTextLines - 1) : lines
  const left = lines.length - shown.length
  return [
    name,
    ...shown.map((line) => `  ${withoutColours(shorten(line))}`),
    ...(left === 0 ? [] : [`  … ${countOf(left, 'more line')}`]),
  ]
}

/** Desktop GIS write a whole file again for a change that nobody sees: both texts are in the plan as JSON. */
function formatStyle(name: string, { style = [] }: Edit, paint: Paint): string[] {
  return style.length > 0
    ? [name, ...formatStyleEdits(style, paint)]
    : [`${name}  draws the same, written differently (--json shows both)`]
}

function formatLines(from: string, to: string, paint: Paint): string[] {
  const colours = { '+': 'green', '-': 'red', ' ': 'dim' } as const
  return compareLines(from, to).map(({ sign, text }) =>
    paint(colours[sign], `  ${sign} ${withoutColours(text)}`),
  )
}
