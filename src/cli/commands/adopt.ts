import { resolve } from 'node:path'
import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { hasErrors } from '../../core/issue.ts'
import { findHint } from '../../core/suggest.ts'
import { type Difference, listDifferences } from '../../reconcile/adopt/check_unchanged.ts'
import { findSameData } from '../../reconcile/adopt/find_same_data.ts'
import { planAdoption } from '../../reconcile/adopt/plan_adoption.ts'
import type { ActualTree } from '../../reconcile/model/actual_tree.ts'
import { safeOptions } from '../../reconcile/model/plan_input.ts'
import { planFrom, readActualTree } from '../../reconcile/plan/plan_manifest.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import { confirmAndApply } from '../carry_out.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { findCommit } from '../git_commit.ts'
import { loadGoodManifest, orDefault } from '../load_manifest.ts'
import { collect, eventOptions } from '../options.ts'
import { type Prepared, showPlan } from '../prepare.ts'
import { adviseLogin } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { exitCodeOf } from './plan.ts'

/** Settings of `adopt`. */
interface AdoptSettings {
  readonly server: ServerSettings
  readonly paths: readonly string[]
  /** Manifests whose resources are taken over. */
  readonly from: ReadonlySet<string>
  readonly dryRun: boolean
  readonly yes: boolean
  readonly json: boolean
}

/** Marks existing resources as managed by a manifest, checks that nothing else changed, and shows what differs. */
async function runAdopt(settings: AdoptSettings, terminal: Terminal): Promise<number> {
  const loaded = await loadGoodManifest(settings.paths, terminal)
  const api = await connect(settings.server, terminal)
  try {
    const prepared = await prepareAdoption(api, { settings, loaded }, terminal)
    const { plan, before } = prepared
    const exit = await markResources(api, { settings, prepared }, terminal)
    if (exit !== 0 || settings.dryRun) return exit
    const marked = new Set(plan.changes.flatMap(({ id }) => id ?? []))
    const after = marked.size === 0 ? before : await readActualTree(api, terminal.interrupt)
    if (marked.size > 0)
      reportCheck(listDifferences(before.byId, after.byId, marked), { settings, after, terminal })
    return await showRest(api, { settings, loaded, after }, terminal)
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

type Loaded = Awaited<ReturnType<typeof loadGoodManifest>>

interface Adoption {
  readonly settings: AdoptSettings
  readonly loaded: Loaded
}

/** The plan of the first step, with the resources that it was made for. */
interface PreparedAdoption extends Prepared {
  readonly before: ActualTree
}

async function prepareAdoption(
  api: Api,
  { settings, loaded }: Adoption,
  { interrupt: signal, cwd }: Terminal,
): Promise<PreparedAdoption> {
  const { manifest } = loaded
  const before = await readActualTree(api, signal)
  const { sources, issues } = await findSameData({
    reader: liveReader(api, signal),
    manifest,
    actual: before,
    signal,
  })
  const plan = planAdoption({ manifest, actual: before, server: api.url, from: settings.from, sources })
  // A second run finds that the other manifest has nothing left.
  const isDone = plan.changes.length === 0 && !hasErrors(plan.issues)
  if (!isDone) requireManifests(settings.from, before, manifest.id)
  const commit = await findCommit(resolve(cwd, orDefault(settings.paths)[0] ?? '.'))
  return { plan: { ...plan, issues: [...plan.issues, ...issues] }, loaded, commit, before }
}

/** @throws {Problem} usage/bad-argument if a manifest manages no resource of the server */
function requireManifests(from: ReadonlySet<string>, { byId }: ActualTree, own: string): void {
  const known = new Set([...byId.values()].flatMap(({ manager }) => manager ?? []))
  const unknown = [...from].find((name) => !known.has(name))
  if (unknown === undefined) return
  const others = [...known].filter((name) => name !== own).sort()
  const hint =
    others.length === 0
      ? 'No other manifest manages resources that this account can read: remove the option.'
      : (findHint(unknown, others) ?? `Use a manifest such as ${others.slice(0, maxHintNames).join(', ')}.`)
  const message = `--from: no resource that this account can read is managed by the manifest "${unknown}".`
  throw problem('usage/bad-argument', message, { hint })
}

/** Maximum number of manifests in a hint. */
const maxHintNames = 10

/** Shows and applies the first step. Returns the exit code. */
async function markResources(
  api: Api,
  { settings, prepared }: { readonly settings: AdoptSettings; readonly prepared: PreparedAdoption },
  terminal: Terminal,
): Promise<number> {
  const { plan, loaded, commit } = prepared
  const { json, yes, dryRun, paths } = settings
  if (!json) writeLine(terminal.out, 'Step 1: keynames and marks, and nothing else')
  showPlan(prepared, { json }, terminal)
  if (dryRun || hasErrors(plan.issues)) return exitCodeOf(plan.issues)
  const how = { json, quiet: false, yes, atomic: true, partial: false }
  const resume = `landform adopt ${paths.join(' ')}`.trimEnd()
  return confirmAndApply({ api, plan, manifest: loaded.manifest, settings: how, resume, commit }, terminal)
}

interface Checked {
  readonly settings: AdoptSettings
  readonly after: ActualTree
  readonly terminal: Terminal
}

/** @throws {Problem} adopt/changed if anything else changed */
function reportCheck(differences: readonly Difference[], { settings, after, terminal }: Checked): void {
  if (differences.length > 0) {
    const lines = differences.map(
      ({ key, part, kind }) => `  ${key}: ${kind === 'changed' ? `${part} changed` : kind}`,
    )
    throw problem(
      'adopt/changed',
      `Beside keynames and marks, ${countOf(differences.length, 'part')} changed:`,
      {
        detail: lines.join('\n'),
        hint: 'Others may have changed them at the same time: compare with landform plan and landform history.',
      },
    )
  }
  if (settings.json) writeEvent(terminal.out, 'checked', { resources: after.byId.size, differences: 0 })
  else
    writeLine(
      terminal.out,
      `Checked: nothing else changed (${countOf(after.byId.size, 'resource')} compared).`,
    )
}

/** Shows the plan of the manifest, which is the second step. */
async function showRest(
  api: Api,
  { settings, loaded, after }: Adoption & { readonly after: ActualTree },
  terminal: Terminal,
): Promise<number> {
  const { manifest } = loaded
  const reader = liveReader(api, terminal.interrupt)
  const plan = await planFrom({
    reader,
    manifest,
    options: safeOptions,
    actual: after,
    signal: terminal.interrupt,
  })
  if (!settings.json) writeLine(terminal.out, '\nStep 2: differences between the manifest and the server')
  showPlan({ plan, loaded }, settings, terminal)
  if (!settings.json && plan.changes.length > 0)
    writeLine(terminal.out, `To make these changes: landform apply ${settings.paths.join(' ')}`.trimEnd())
  return exitCodeOf(plan.issues)
}

/** The command `adopt`. */
export const adoptCommand: CommandSpec = {
  name: 'adopt',
  summary: 'manage existing resources with a manifest, without changing them',
  notes: [
    'Step 1 sets keynames and marks, and nothing else: it reads the server again and compares every field. The data of a layer\nare marked as loaded from data: if the file has the same features. Step 2 shows the differences, which landform apply\nmakes. Resources are found by keyname, was:, id:, or by place and display name if they have no keyname.',
  ],
  examples: [
    'landform pull --root city --into manifests && landform adopt',
    'landform adopt manifests/city.yaml --dry-run   # show step 1 only',
    'landform adopt --from county --yes   # take resources over from the manifest county',
  ],
  declare: (command) =>
    eventOptions(command.argument('[paths...]', 'files and directories of the manifest (default: manifests)'))
      .option('--from <manifest>', 'take resources over from another manifest; may be repeated', collect)
      .option('--dry-run', 'show the keynames and marks of step 1, and change nothing')
      .option('--yes', 'skip the confirmation of step 1'),
  run: ({ arguments: [paths], options }, terminal) =>
    runAdopt(
      {
        server: options as ServerSettings,
        paths: (paths ?? []) as readonly string[],
        from: new Set((options.from as readonly string[] | undefined) ?? []),
        dryRun: options.dryRun === true,
        yes: options.yes === true,
        json: options.json === true,
      },
      terminal,
    ),
}
