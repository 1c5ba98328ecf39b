import { problem } from '../../contract/problems.ts'
import { type Cls, clsNames, descriptorOf } from '../../contract/registry.ts'
import { hasErrors, type Issue } from '../../core/issue.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { Ignored } from '../../reconcile/drift/drift.ts'
import { type Drift, findDrift } from '../../reconcile/drift/find_drift.ts'
import { safeOptions } from '../../reconcile/model/plan_input.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { collect, eventOptions } from '../options.ts'
import { type Prepared, preparePlan } from '../prepare.ts'
import { adviseLogin } from '../principals.ts'
import { countOrigins, formatDrift, writeDriftEvents } from '../print/drift.ts'
import { writeEvent, writeIssueEvent } from '../print/events.ts'
import { formatIssues } from '../print/issue_list.ts'
import { painter } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { exitCodeOf } from './plan.ts'

/** Settings of `drift`. */
interface DriftSettings {
  readonly server: ServerSettings
  readonly paths: readonly string[]
  /** Keys, or fields such as `roads.description`. */
  readonly ignore: readonly string[]
  readonly json: boolean
  readonly exitCode: boolean
}

/** Shows what differs, and whether the manifest or the server changed since the last apply. */
async function runDrift(settings: DriftSettings, terminal: Terminal): Promise<number> {
  const api = await connect(settings.server, terminal)
  const { interrupt: signal } = terminal
  try {
    const options = { ...safeOptions, adopt: true }
    const request = {
      paths: settings.paths,
      options,
      guards: { forbidGain: [], policies: [] },
      readsBelow: true,
    }
    const prepared = await preparePlan(liveReader(api, signal), request, terminal)
    const { plan, loaded } = prepared
    const { manifest } = loaded
    const names = settings.ignore.map((written) => ({ written, isUsed: manifest.resources.has(written) }))
    const ignored: Ignored = (key, field) => {
      const full = `${key}.${field}`
      const found = names.filter(
        ({ written }) => written === key || written === full || full.startsWith(`${written}.`),
      )
      for (const name of found) name.isUsed = true
      return found.length > 0
    }
    const drift = await findDrift({ api, manifest, plan, ignored, signal })
    checkIgnored(names, manifest)
    show(drift, prepared, { json: settings.json, terminal })
    const issues = readingIssues(plan.issues)
    if (hasErrors(issues)) return exitCodeOf(issues)
    const { ignored: _, harmless: __, ...counts } = countOrigins(drift.resources)
    const isDrifted = Object.values(counts).some((count) => count > 0) || plan.unknown.length > 0
    return settings.exitCode && isDrifted ? 2 : 0
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

/** An ignored field of a resource that exists may be equal now; a name of nothing is an error. */
function checkIgnored(
  names: readonly { readonly written: string; readonly isUsed: boolean }[],
  { resources }: Manifest,
): void {
  const wrong = names.find(({ written, isUsed }) => !isUsed && !namesField(written, resources))
  if (wrong === undefined) return
  const key = [...resources.keys()].find((one) => wrong.written.startsWith(`${one}.`))
  const what = key === undefined ? 'no resource of the manifest' : `no field of "${key}"`
  throw problem('usage/bad-argument', `--ignore ${wrong.written} names ${what}.`, {
    hint: 'Use a key, or a key with a field: --ignore roads.description.',
  })
}

/** Fields of every resource, by their first name. */
const resourceFields: ReadonlySet<string> = new Set([
  ...['keyname', 'display_name', 'parent', 'description', 'owner', 'permissions', 'resmeta', 'protect'],
  ...['data', 'file', 'files', 'resource'],
])

function namesField(written: string, resources: Manifest['resources']): boolean {
  return [...resources.values()].some(({ key, cls }) => {
    if (!written.startsWith(`${key}.`)) return false
    const [member = '', field] = written.slice(key.length + 1).split('.')
    if (resourceFields.has(member)) return true
    // The class of an existing resource may be unknown.
    if (cls === undefined) return clsNames.some((one) => hasMember(one, member, field))
    return hasMember(cls, member, field)
  })
}

function hasMember(cls: Cls, member: string, field: string | undefined): boolean {
  const members: Readonly<Record<string, { readonly properties: object } | undefined>> =
    descriptorOf(cls).members
  const found = members[member]
  return found !== undefined && (field === undefined || Object.hasOwn(found.properties, field))
}

/** Issues of what is compared: those of an apply, such as missing permissions to delete, are not of drift. */
function readingIssues(issues: readonly Issue[]): Issue[] {
  return issues.filter(({ code }) => !['plan/orphan', 'plan/left-behind', 'plan/data-edited'].includes(code))
}

interface Output {
  readonly json: boolean
  readonly terminal: Terminal
}

function show(drift: Drift, { plan, loaded }: Prepared, { json, terminal }: Output): void {
  const issues = readingIssues(plan.issues)
  if (json) {
    for (const issue of issues) writeIssueEvent(terminal.out, issue)
    for (const one of plan.unknown) writeEvent(terminal.out, 'unknown', one)
    writeDriftEvents(terminal.out, drift)
    return
  }
  if (issues.length > 0) writeLine(terminal.err, formatIssues(issues, loaded.sources))
  if (!drift.hasJournal)
    writeLine(terminal.err, 'This server has no journal of applies that this account can read.')
  for (const { key, reason } of plan.unknown) writeLine(terminal.err, `"${key}" is not compared: ${reason}`)
  writeLine(terminal.out, formatDrift(drift, plan.manifest, painter(terminal.colour)))
}

/** The command `drift`. */
export const driftCommand: CommandSpec = {
  name: 'drift',
  summary: 'show whether the manifest or the server changed since the last apply',
  notes: [
    'Origin of each difference, from the journal of applies on the server:\n  manifest  the manifest changed: apply brings it to the server\n  server    the server changed: apply takes it back\n  both      both changed, in different ways\n  unknown   the journal does not say',
    'To take changes of the server back: landform apply --only KEY; to keep them: landform pull --only KEY.',
  ],
  examples: [
    'landform drift',
    'landform drift --exit-code   # 2 if anything differs',
    'landform drift --ignore roads.description --ignore old_map',
    'landform drift manifests/world.yaml --json',
  ],
  declare: (command) =>
    eventOptions(command.argument('[paths...]', 'files and directories of the manifest (default: manifests)'))
      .option('--exit-code', 'exit with 2 if anything differs that is neither harmless nor ignored')
      .option('--ignore <name>', 'ignore a resource, or a field such as roads.description', collect),
  run: ({ arguments: [paths], options }, terminal) =>
    runDrift(
      {
        server: options as ServerSettings,
        paths: (paths ?? []) as readonly string[],
        ignore: (options.ignore as readonly string[] | undefined) ?? [],
        json: options.json === true,
        exitCode: options.exitCode === true,
      },
      terminal,
    ),
}
