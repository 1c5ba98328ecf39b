import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Api } from '../../api/api.ts'
import { actions, outcomeWords } from '../../contract/bodies/journal.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { hasErrors } from '../../core/issue.ts'
import { findFileKind } from '../../document/yaml_files.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { Pipeline } from '../../pipeline/pipeline_schema.ts'
import type { RunReport } from '../../pipeline/run_event.ts'
import { applyPlan } from '../../reconcile/apply/apply_plan.ts'
import { countActions, type Plan } from '../../reconcile/model/change.ts'
import { safeOptions } from '../../reconcile/model/plan_input.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import type { CommandSpec } from '../command.ts'
import { defaultPaths, type GoodManifest, loadGoodManifest, orDefault } from '../load_manifest.ts'
import { collect } from '../options.ts'
import { connectOwn } from '../own_server.ts'
import { type Prepared, planLoaded } from '../prepare.ts'
import { formatIssues } from '../print/issue_list.ts'
import { formatReport } from '../print/report.ts'
import { painter, showBytes, showDuration } from '../print/text_format.ts'
import { settingOptions } from '../server_options.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { loadPipelines, runAndReport } from './run.ts'
import { schemaOf, schemas } from './schema.ts'
import { aborted, type ReadConfig, readServerConfig, showFirstPassword, startServer } from './serve.ts'

/** Settings of `start`. */
export interface StartSettings {
  readonly server: ReadConfig
  /** Files and directories of the manifest. */
  readonly manifest: readonly string[]
  /** Pipeline files, in order of execution. */
  readonly pipelines: readonly string[]
  /** Whether to stop after the last step instead of serving. */
  readonly once: boolean
}

/**
 * Starts a server, applies a manifest, runs pipelines, plans again, and keeps serving the map.
 *
 * @throws {Problem} of the failed step, after the server was stopped
 */
export async function runStart(settings: StartSettings, terminal: Terminal): Promise<number> {
  // Reports errors in files before anything is created.
  const pipelines = await loadPipelines(settings.pipelines, terminal)
  const loaded = await findManifest(settings, terminal)
  await writeSchemas(resolve(terminal.cwd, dirname(settings.server.dataFolder), 'schemas'))
  const server = await tellStep(terminal, 'server', {
    doing: 'starting the server (the first start creates the database)',
    work: () => startServer(settings.server),
    describe: ({ url }) =>
      `${url}, ${settings.server.databaseUrl === undefined ? 'embedded database' : 'PostgreSQL'} ready`,
  })
  try {
    await fill(server.url, { settings, loaded, pipelines }, terminal)
    if (!settings.once) {
      showFirstPassword(server, terminal)
      writeLine(terminal.err, 'Press Ctrl-C to stop the server.')
      await aborted(terminal.interrupt)
    }
    return 0
  } finally {
    await server.stop()
  }
}

/** Loads the manifest; undefined if no path is given and the default directory does not exist. */
async function findManifest(
  { manifest: paths }: StartSettings,
  terminal: Terminal,
): Promise<GoodManifest | undefined> {
  const kinds = await Promise.all(orDefault(paths).map((path) => findFileKind(resolve(terminal.cwd, path))))
  const isBare = paths.length === 0 && kinds.every((kind) => kind === 'absent')
  return isBare ? undefined : loadGoodManifest(paths, terminal)
}

/** Writes the schemas that the example files reference, for completion and validation in editors. */
async function writeSchemas(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const kind of Object.keys(schemas))
    await writeFile(join(folder, `${kind}.json`), `${JSON.stringify(schemaOf(kind), null, 2)}\n`)
}

interface StepWork<T> {
  /** Description of the running step, written before it; pipelines report their own progress. */
  readonly doing?: string
  readonly work: () => Promise<T>
  readonly describe: (result: T) => string
}

async function tellStep<T>(
  { out, err }: Terminal,
  name: string,
  { doing, work, describe }: StepWork<T>,
): Promise<T> {
  const start = performance.now()
  if (doing !== undefined) writeLine(err, `${doing} …`)
  const result = await work()
  writeLine(out, formatStep(name, describe(result), performance.now() - start))
  return result
}

interface Filling {
  readonly settings: StartSettings
  readonly loaded: GoodManifest | undefined
  readonly pipelines: readonly Pipeline[]
}

async function fill(
  url: string,
  { settings, loaded, pipelines }: Filling,
  terminal: Terminal,
): Promise<void> {
  if (loaded === undefined)
    writeLine(
      terminal.out,
      formatFact('manifest', `none: directory "${defaultPaths.join(' or ')}" not found`),
    )
  if (loaded === undefined && pipelines.length === 0) return
  const api = await connectOwn({ ...settings.server, url })
  try {
    if (loaded !== undefined) await tellStep(terminal, 'apply', applying(api, loaded, terminal))
    for (const pipeline of pipelines) {
      const run = () => runAndReport(pipeline, { api, json: false }, terminal)
      await tellStep(terminal, pipeline.pipeline, { work: run, describe: describeRun })
    }
    if (loaded !== undefined) await showMaps(api, { url, loaded }, terminal)
  } finally {
    await api.close()
  }
}

function applying(api: Api, loaded: GoodManifest, terminal: Terminal): StepWork<Plan> {
  const work = async () =>
    applyPrepared(
      api,
      await planLoaded(liveReader(api, terminal.interrupt), { loaded, options: safeOptions }, terminal),
      terminal,
    )
  return { doing: 'applying the manifest', work, describe: describeApplied }
}

interface Applied {
  readonly url: string
  readonly loaded: GoodManifest
}

/** Plans again, to show that no changes are left, and lists the URLs of the maps. */
async function showMaps(api: Api, { url, loaded }: Applied, terminal: Terminal): Promise<void> {
  const { plan } = await tellStep(terminal, 'plan', {
    doing: 'planning again',
    work: () => planLoaded(liveReader(api, terminal.interrupt), { loaded, options: safeOptions }, terminal),
    describe: ({ plan }) => describePlanned(plan),
  })
  for (const address of mapAddresses(url, loaded.manifest, plan))
    writeLine(terminal.out, formatFact('map', address))
}

/** `start` does not have the options that the hints of a plan name. */
const optionsHint =
  'Correct the listed errors. To use the options in the hints, run "landform serve", then "landform apply".'

async function applyPrepared(api: Api, { plan, loaded }: Prepared, terminal: Terminal): Promise<Plan> {
  if (hasErrors(plan.issues)) {
    throw problem('apply/failed', 'The plan has errors.', {
      hint: optionsHint,
      detail: formatIssues(plan.issues, loaded.sources),
    })
  }
  const start = performance.now()
  const report = await applyPlan({ api, plan, signal: terminal.interrupt, breakOff: terminal.halt })
  const isDone = report.outcomes.every(({ outcome }) => outcome !== 'failed' && outcome !== 'skipped')
  if (isDone && !report.interrupted) return plan
  const how = {
    paint: painter(false),
    resume: 'start again',
    tookMs: performance.now() - start,
    manifest: loaded.manifest,
  }
  throw problem(report.interrupted ? 'pipeline/interrupted' : 'apply/failed', 'Apply did not complete.', {
    hint: optionsHint,
    detail: formatReport(report, how),
  })
}

function mapAddresses(url: string, { resources }: Manifest, { ids }: Plan): string[] {
  const keys = [...resources.values()].filter(({ cls }) => cls === 'webmap').map(({ key }) => key)
  return keys.map((key) => `${url}/resource/${ids.get(key)}/display`)
}

/** The command `start`. */
export const startCommand: CommandSpec = {
  name: 'start',
  summary: 'run a server, load it from a manifest and pipelines, and serve the map',
  examples: ['landform start', 'landform start manifests/world.yaml --run pipelines/cities.yaml --once'],
  declare: (command) =>
    settingOptions(
      command
        .argument('[paths...]', 'files and directories of the manifest (default: manifests)')
        .option('--run <pipeline>', 'pipeline to run after the apply; may be repeated', collect)
        .option('--once', 'stop after the last step'),
    ),
  run: async ({ arguments: [paths], options }, terminal) =>
    runStart(
      {
        manifest: (paths ?? []) as readonly string[],
        pipelines: (options.run ?? []) as readonly string[],
        once: options.once === true,
        server: readServerConfig(options, terminal, { logLevel: 'warn' }),
      },
      terminal,
    ),
}

/** Formats a step: its name, result and duration. */
export function formatStep(name: string, result: string, tookMs: number): string {
  return `${formatFact(name, result).padEnd(74)} ${showDuration(tookMs).padStart(8)}`
}

/** Formats a line without duration. */
export function formatFact(name: string, text: string): string {
  return `${name.padEnd(9)} ${text}`
}

/** Summarizes an applied plan: `7 created, 1 updated`. */
function describeApplied({ changes, unchanged }: Plan): string {
  const counts = countActions(changes)
  const words = actions.flatMap((action) =>
    counts[action] > 0 ? [`${counts[action]} ${outcomeWords[action]}`] : [],
  )
  return [...words, ...(unchanged > 0 ? [`${unchanged} unchanged`] : [])].join(', ')
}

/** Summarizes a plan by its number of changes. */
function describePlanned({ changes, unchanged }: Plan): string {
  return `${countOf(changes.length, 'change')}, ${unchanged} unchanged`
}

/** Summarizes the rows and files of a run. */
export function describeRun({ outcome, layers }: RunReport): string {
  const sum = (count: (layer: RunReport['layers'][number]) => number) =>
    layers.reduce((total, layer) => total + count(layer), 0)
  if (outcome === 'unchanged')
    return `unchanged, ${countOf(
      sum(({ unchanged }) => unchanged),
      'row',
    )}`
  const quarantined = sum((layer) => layer.quarantined)
  const size = sum((layer) => layer.sizeBytes ?? 0)
  return [
    `${countOf(
      sum(({ loaded }) => loaded),
      'row',
    )} ${outcome}`,
    ...(outcome === 'loaded'
      ? [`${quarantined} quarantined`]
      : [`${countOf(layers.length, 'file')}, ${showBytes(size)}`]),
  ].join(', ')
}
