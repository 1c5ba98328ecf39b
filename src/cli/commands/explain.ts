import type { CatalogReading } from '../../api/read_catalog.ts'
import type { PrincipalRecords } from '../../api/read_principals.ts'
import { problem } from '../../contract/problems.ts'
import { isCls } from '../../contract/registry.ts'
import { joinPointer, type Pointer, splitPointer } from '../../core/pointer.ts'
import { isProblem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import {
  type ExplainedField,
  explainBlock,
  findNamedBlocks,
  listKeys,
  type NamedBlock,
} from '../../manifest/explain/explain_block.ts'
import { explainOmitted } from '../../manifest/explain/omitted_field.ts'
import type { Change, Plan } from '../../reconcile/model/change.ts'
import { safeOptions } from '../../reconcile/model/plan_input.ts'
import { planFrom } from '../../reconcile/plan/plan_manifest.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { type GoodManifest, loadGoodManifest } from '../load_manifest.ts'
import { eventOptions } from '../options.ts'
import { writeEvent } from '../print/events.ts'
import { type Explanation, formatExplanation, type ServerValue } from '../print/explanation.ts'
import { painter } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'

/** Settings of `explain`. */
interface ExplainSettings {
  readonly name: string
  readonly paths: readonly string[]
  readonly server: ServerSettings
  readonly offline: boolean
  readonly json: boolean
}

async function runExplain(settings: ExplainSettings, terminal: Terminal): Promise<number> {
  const { name, paths, json } = settings
  const loaded = await loadGoodManifest(paths, terminal)
  const named = findNamedBlocks(loaded.documents, name)
  if (named.length === 0) throw unknownKey(name, loaded)
  const explained = named.flatMap((one) => {
    const written = explainBlock(one, terminal.env).map((field) => ({ one, field }))
    return written.length > 0 ? written : explainOneOmitted(one)
  })
  if (explained.length === 0) throw unknownField(name, named)
  const server = await readUnlessFailing(settings, loaded, { explained, terminal })
  const paint = painter(terminal.colour)
  for (const { one, field } of explained) {
    const explanation = { key: one.block.key, ...field, ...serverPart(server, one, field) }
    if (json) writeEvent(terminal.out, 'field', factsOf(explanation))
    else writeLine(terminal.out, formatExplanation(explanation, paint))
  }
  return 0
}

function explainOneOmitted(one: NamedBlock) {
  const field = explainOmitted(one)
  return field === undefined ? [] : [{ one, field }]
}

function unknownKey(name: string, { documents }: GoodManifest) {
  const [key = name] = name.split('.')
  return problem('usage/bad-argument', `The manifest has no key "${key}".`, {
    hint: findHint(key, listKeys(documents)) ?? 'Use the key of a resource, a record, a user or a group.',
  })
}

/** Maximum number of names in a hint. */
const maxHintNames = 20

function unknownField(name: string, named: readonly NamedBlock[]) {
  const others = [...new Set(named.flatMap((one) => one.others ?? []))]
  const [first] = named
  const wrong = first?.names.find((part) => !others.includes(part) && name.endsWith(part)) ?? name
  const listed = others.slice(0, maxHintNames).join(', ') + (others.length > maxHintNames ? ', …' : '')
  const hint = findHint(wrong, others) ?? (listed === '' ? undefined : `There are: ${listed}.`)
  return problem(
    'usage/bad-argument',
    `The manifest has no field "${name}", and its class no default for it.`,
    hint === undefined ? {} : { hint },
  )
}

/** What the server has: the plan of the manifest, and the records, users and groups of which it omits fields. */
interface ServerState {
  readonly plan: Plan
  /** Undefined if they were not read, or cannot be read. */
  readonly principals: PrincipalRecords | undefined
  readonly catalog: CatalogReading | undefined
}

interface Explaining {
  readonly explained: readonly { readonly one: NamedBlock; readonly field: ExplainedField }[]
  readonly terminal: Terminal
}

/** Plans the manifest, since plans know what the server has; undefined with a note if that is not possible. */
async function readUnlessFailing(
  { server, offline }: ExplainSettings,
  { manifest }: GoodManifest,
  { explained, terminal }: Explaining,
): Promise<ServerState | undefined> {
  if (offline) return undefined
  if (server.server === undefined && !terminal.env.LANDFORM_SERVER) {
    writeLine(
      terminal.err,
      'note: without --server or LANDFORM_SERVER, the values of the server are not shown',
    )
    return undefined
  }
  try {
    const api = await connect(server, terminal)
    try {
      const reader = liveReader(api, terminal.interrupt)
      const plan = await planFrom({
        ...{ reader, manifest, options: safeOptions, readsPart: true },
        signal: terminal.interrupt,
      })
      const omits = (...kinds: readonly string[]) =>
        explained.some(({ one, field }) => isOmitted(field) && kinds.includes(one.block.kind ?? ''))
      return {
        plan,
        principals: omits('user', 'group') ? await reader.readPrincipals() : undefined,
        catalog: omits('icon', 'geoservice') ? await reader.readCatalog() : undefined,
      }
    } finally {
      await api.close()
    }
  } catch (error) {
    if (!isProblem(error)) throw error
    writeLine(terminal.err, `note: the values of the server are not shown: ${error.message}`)
    return undefined
  }
}

/** Fields that only direct the reconciler; servers do not have them. */
const directives: readonly string[] = [
  'cls',
  'existing',
  'id',
  'was',
  'protect',
  'children',
  'data',
  'file',
  'files',
  'features',
  'image',
  'password',
  'type',
]

/** Tells whether the manifest does not set a field, and it has no default. */
const isOmitted = ({ origins, value }: Pick<ExplainedField, 'origins' | 'value'>) =>
  origins.length === 0 && value === undefined

function serverPart(
  state: ServerState | undefined,
  { block }: NamedBlock,
  field: ExplainedField,
): { readonly server?: ServerValue } {
  const { pointer, names, isSecret } = field
  const [name = ''] = splitPointer(pointer)
  if (state === undefined || isSecret || directives.includes(name)) return {}
  const { plan } = state
  const { key, kind } = block
  // Resources, records, users and groups may have the same key.
  const isUnknown = plan.unknown.some(
    (one) => one.key === key && (kind === undefined ? isCls(one.cls) : one.cls === kind),
  )
  if (isUnknown) return { server: { state: 'unknown' } }
  const change = plan.changes.find((one) => one.key === key && one.record === kind)
  if (!isOmitted(field) || change?.action === 'create')
    return { server: change === undefined ? { state: 'same' } : compare(change, joinPointer('', ...names)) }
  if (kind === undefined) return { server: valueOnServer(plan, key, pointer) }
  return { server: valueOfRecord(listRecords(state, kind), change?.id, { key, name }) }
}

type Records = readonly Readonly<Record<string, unknown>>[]

function listRecords(
  { principals, catalog }: ServerState,
  kind: NonNullable<NamedBlock['block']['kind']>,
): Records | undefined {
  const read = typeof catalog === 'string' ? undefined : catalog
  const lists = {
    ...{ user: principals?.users, group: principals?.groups },
    ...{ icon: read?.icons, geoservice: read?.geoservices },
  }
  return lists[kind] as Records | undefined
}

/** Finds a field of a record, by its id if the plan changes it, which may rename it. */
function valueOfRecord(
  records: Records | undefined,
  id: number | undefined,
  { key, name }: { readonly key: string; readonly name: string },
): ServerValue {
  const isSame = (text: unknown) => typeof text === 'string' && text.toLowerCase() === key.toLowerCase()
  const found = records?.find((one) => (id === undefined ? isSame(one.keyname) : one.id === id))
  return found === undefined ? { state: 'unknown' } : { state: 'differs', from: found[name] ?? undefined }
}

/** Plans do not compare what the manifest omits. */
function valueOnServer({ ids, before }: Plan, key: string, pointer: Pointer): ServerValue {
  const [top = '', name] = splitPointer(pointer)
  const there = before?.get(ids.get(key) ?? -1)
  if (there === undefined) return { state: 'unknown' }
  const shared: Readonly<Record<string, unknown>> = {
    ...{ description: there.description, permissions: there.rules, resmeta: there.resmeta },
    parent: there.parentId === null ? undefined : (before?.get(there.parentId)?.keyname ?? there.parentId),
  }
  const whole = top in shared ? shared[top] : there.members[top]
  const from = name === undefined ? whole : (whole as Readonly<Record<string, unknown>> | undefined)?.[name]
  const isRead = top === 'description' ? from !== undefined : whole !== undefined
  return isRead ? { state: 'differs', from: from ?? undefined } : { state: 'unknown' }
}

function compare({ action, edits }: Change, pointer: string): ServerValue {
  if (action === 'create') return { state: 'absent' }
  const exact = edits.filter((edit) => edit.pointer === pointer)
  const [only] = exact
  if (exact.length === 1 && only !== undefined && !only.secret) return { state: 'differs', from: only.from }
  const isNear = (edit: string) => edit.startsWith(`${pointer}/`) || pointer.startsWith(`${edit}/`)
  return { state: exact.length > 0 || edits.some((edit) => isNear(edit.pointer)) ? 'other' : 'same' }
}

function factsOf({ key, pointer, value, isSecret, origins, server }: Explanation) {
  return { key, pointer, ...(isSecret ? { secret: true } : { value }), origins, server }
}

/** The command `explain`. */
export const explainCommand: CommandSpec = {
  name: 'explain',
  summary: 'tell where the values of a manifest come from, and what the server has',
  notes: [
    'Names the file and line of each value, aliases and merge keys that it comes through, variables, files, and defaults.',
  ],
  examples: [
    'landform explain roads',
    'landform explain roads.vector_layer.srs manifests/city.yaml',
    'landform explain roads.feature_layer.fields.lanes   # an item of a list, named as in the plan',
    'landform explain city_map.webmap --offline --json',
  ],
  declare: (command) =>
    eventOptions(
      command
        .argument('<key>', 'key of a block, or KEY.PATH of a field')
        .argument('[paths...]', 'files and directories of the manifest (default: manifests)'),
    ).option('--offline', 'do not compare with the server'),
  run: ({ arguments: [name, paths], options }, terminal) =>
    runExplain(
      {
        name: String(name),
        paths: (paths ?? []) as readonly string[],
        server: options as ServerSettings,
        offline: options.offline === true,
        json: options.json === true,
      },
      terminal,
    ),
}
