import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Api } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import { countOf, joinFirst } from '../core/count.ts'
import type { Issue } from '../core/issue.ts'
import { formatPatch } from '../core/line_diff.ts'
import { joinPointer } from '../core/pointer.ts'
import type { Problem } from '../core/problem.ts'
import { writeAtomically } from '../files/atomic_write.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { findDrift } from '../reconcile/drift/find_drift.ts'
import type { Plan } from '../reconcile/model/change.ts'
import { safeOptions } from '../reconcile/model/plan_input.ts'
import { computeFromPart } from '../reconcile/plan/compute_from_part.ts'
import { planInside } from '../reconcile/plan/plan_manifest.ts'
import { partOf } from '../reconcile/plan/plan_part.ts'
import { liveReader, type PlanReader } from '../reconcile/plan/plan_reader.ts'
import { quoteForShell } from '../reconcile/plan/prune.ts'
import { type EditedFile, editManifest } from '../reconcile/pull/edit_manifest.ts'
import { writeNewBlocks } from '../reconcile/pull/pull_tree.ts'
import { listServerValues } from '../reconcile/pull/server_values.ts'
import { listUnapplied, overwriteFields, type Unapplied } from '../reconcile/pull/unapplied.ts'
import { checkKeys, reportUnknownKeys } from './check_keys.ts'
import { connect, type ServerSettings } from './connect.ts'
import { type GoodManifest, loadGoodManifest } from './load_manifest.ts'
import { adviseLogin } from './principals.ts'
import { writeEvent, writeIssueEvent } from './print/events.ts'
import { formatIssues } from './print/issue_list.ts'
import { showReading } from './print/reading.ts'
import { oneLine } from './print/text_format.ts'
import { type Terminal, writeLine } from './terminal.ts'

/** Settings of a pull into existing manifests. */
export interface InPlaceSettings {
  readonly server: ServerSettings
  readonly paths: readonly string[]
  readonly dryRun: boolean
  /** Keys of the only resources whose changes are written; all, if empty. */
  readonly only: ReadonlySet<string>
  /** Keys of resources whose values on the server replace those that the manifest changed, too. */
  readonly overwrite: ReadonlySet<string>
  readonly json: boolean
}

/** Writes what changed on the server into the files of a manifest, and shows it as a patch. */
export async function pullInPlace(settings: InPlaceSettings, terminal: Terminal): Promise<number> {
  const loaded = await loadGoodManifest(settings.paths, terminal)
  const api = await connect(settings.server, terminal)
  try {
    const { manifest, documents } = loaded
    const { interrupt: signal, env } = terminal
    const pulled = await showReading(liveReader(api, signal), terminal, (reader) =>
      readChanges({ api, reader, manifest, only: settings.only, overwrite: settings.overwrite, signal }),
    )
    const { plan, found, made, unapplied } = pulled
    const blocks = made.blocks.map(({ parent, key, block }) => ({
      key: parent,
      pointer: joinPointer('/children', key),
      value: block,
    }))
    const edited = editManifest(documents, [...found.values, ...blocks], env)
    if (!settings.dryRun) for (const file of edited.files) await writeEdited(file, terminal)
    const issues = [...listUncompared(plan, settings), ...found.issues, ...made.issues, ...edited.issues]
    show({ ...edited, issues, unapplied }, { settings, loaded }, terminal)
    return 0
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

interface ChangesRequest {
  readonly api: Api
  readonly reader: PlanReader
  readonly manifest: Manifest
  readonly only: ReadonlySet<string>
  readonly overwrite?: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** What a pull writes, with the plan that it follows from. */
interface ReadChanges {
  readonly plan: Plan
  readonly found: ReturnType<typeof listServerValues>
  readonly made: ReturnType<typeof writeNewBlocks>
  /** What the manifest has and the server does not, since it was not applied. */
  readonly unapplied: readonly Unapplied[]
}

/** Reads what the server has and the manifest lacks. */
export function readChanges(request: ChangesRequest): Promise<ReadChanges> {
  const { reader, manifest } = request
  const options = { ...safeOptions, adopt: true }
  return computeFromPart({
    reader,
    part: partOf(manifest, options),
    compute: async (read) => {
      const { api, only, overwrite = new Set(), signal } = request
      const plan = await planInside({ reader, manifest, options, readsBelow: true, signal }, read)
      if (typeof plan === 'string') return plan
      const unknown = [
        ...checkKeys(plan, manifest, { ...safeOptions, only }),
        ...checkOverwriteKeys(manifest, overwrite),
      ]
      if (unknown.length > 0) throw wrongKeys(unknown)
      const tree = read.actual
      const { resources, unmanaged } = await findDrift({ api, manifest, plan, ignored: () => false, signal })
      const selected = resources.filter(({ key }) => only.size === 0 || only.has(key))
      const drift = overwriteFields(selected, overwrite)
      const added = only.size === 0 ? unmanaged : []
      const keys = new Set(manifest.resources.keys())
      const made = writeNewBlocks({ tree, added, ids: plan.ids, keys })
      // References to new resources are the keys of their blocks.
      const ids = new Map([...plan.ids, ...made.ids])
      const found = listServerValues({ manifest, tree, ids, drift })
      return { plan, found, made, unapplied: listUnapplied(drift, manifest.resources) }
    },
  })
}

/** What the account cannot read: a manifest may differ there. */
function listUncompared({ issues }: Plan, { only }: InPlaceSettings): Issue[] {
  const unread = issues.filter(({ code }) => code === 'plan/unknown' || code === 'plan/incomplete')
  const named = unread.filter(
    ({ message }) => only.size === 0 || [...only].some((key) => message.includes(`"${key}"`)),
  )
  return named.map((issue) => ({ ...issue, severity: 'warning' }))
}

function checkOverwriteKeys({ resources }: Manifest, keys: ReadonlySet<string>): Issue[] {
  const known = new Set(resources.keys())
  const unknown = [...keys].filter((key) => !known.has(key))
  return reportUnknownKeys(
    unknown.map((key) => ({ option: 'overwrite', key, known })),
    new Set(),
  )
}

function wrongKeys([first]: readonly Issue[]): Problem {
  const hint = first?.hint === undefined ? {} : { hint: first.hint }
  return problem('usage/bad-argument', `${first?.message}.`, hint)
}

const byteOrderMark = '\uFEFF'

async function writeEdited({ file, after }: EditedFile, { cwd }: Terminal): Promise<void> {
  const path = resolve(cwd, file)
  const hasMark = (await readFile(path, 'utf8')).startsWith(byteOrderMark)
  async function* bytes() {
    yield Buffer.from(hasMark ? byteOrderMark + after : after)
  }
  await writeAtomically(path, bytes(), { shownPath: file, overwrite: true })
}

/** What a pull has to tell. */
type Told = ReturnType<typeof editManifest> & { readonly unapplied: readonly Unapplied[] }

interface Shown {
  readonly settings: InPlaceSettings
  readonly loaded: GoodManifest
}

function show(
  { files, issues, count, unapplied }: Told,
  { settings: { json, dryRun }, loaded }: Shown,
  { out, err }: Terminal,
): void {
  const patches = files.map(({ file, before, after }) => ({ file, patch: formatPatch(file, before, after) }))
  if (json) {
    for (const issue of issues) writeIssueEvent(out, issue)
    for (const patch of patches) writeEvent(out, 'patch', patch)
    writeEvent(out, 'pulled', {
      manifest: loaded.manifest.id,
      values: count,
      files: files.length,
      written: !dryRun,
      not_applied: unapplied.map(({ key, fields }) => ({ key, fields })),
    })
    return
  }
  if (issues.length > 0) writeLine(err, formatIssues(issues, loaded.sources))
  for (const { patch } of patches) writeLine(out, patch)
  writeLine(err, summarize({ files, issues, count, unapplied }, dryRun))
}

function summarize({ files, issues, count, unapplied }: Told, dryRun: boolean): string {
  const left = issues.filter(({ code }) => code === 'pull/not-written').length
  const unread = issues.some(({ code }) => code === 'plan/unknown' || code === 'plan/incomplete')
  const what = `${countOf(count, 'value')} of ${countOf(files.length, 'file')}`
  const rest = [
    ...(left === 0
      ? []
      : [`${countOf(left, 'change')} of the server ${left === 1 ? 'is' : 'are'} not written.`]),
    ...(unread ? ['What this account cannot read is not compared.'] : []),
    ...describeUnapplied(unapplied),
  ]
  if (count > 0) return [dryRun ? `${what} would change.` : `${what} changed.`, ...rest].join(' ')
  return rest.length > 0 ? rest.join(' ') : 'The manifest has all values of the server.'
}

/** Maximum number of keys in the summary. */
const maxKeys = 10

/** Tells what the manifest keeps although the server has something else, and how to end that. */
function describeUnapplied(unapplied: readonly Unapplied[]): string[] {
  if (unapplied.length === 0) return []
  const count = unapplied.reduce((sum, { fields }) => sum + fields.length, 0)
  const keys = unapplied.map(({ key }) => oneLine(key))
  const one = unapplied.find(({ isTakable }) => isTakable)?.key
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them']
  const take =
    one === undefined
      ? ''
      : `, or write what the server has over ${them} with landform pull --overwrite ${quoteForShell(one)}`
  return [
    `${countOf(count, 'change')} of the manifest ${are} not applied, and left alone: ${joinFirst(keys, maxKeys)}.`,
    `See ${them} with landform plan, and apply ${them}${take}.`,
  ]
}
